import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connectKube } from '../../actors/kube/connection.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { type KubeList, type KubeObject, resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { eventually } from './support/eventually.js'
import { KairshipProcess } from './support/kairship-process.js'
import { kubectls } from './support/kubectl.js'

const run = promisify(execFile)
const program = resolve(import.meta.dirname, '../../dist/kairship.js')
let folder: string
let running: KairshipProcess | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kairship-newcomer-'))
})
afterEach(async () => {
  running?.kill('SIGKILL')
  await running?.ended
  running = undefined
  await rm(folder, { recursive: true, force: true })
})

/** A busy machine is no failure. */
const patiently = ['--ready-timeout-ms', '240000']
const start = (...args: string[]) => {
  running = KairshipProcess.start(['playground', ...args])
  return running
}

it('playground --once --json starts a fleet, prints one line, exits with 0 and leaves no files', async () => {
  const it = start('--once', '--json', '--files', join(folder, 'files'), ...patiently)
  expect(await it.ended, it.story()).toEqual({ code: 0, signal: null })
  expect(it.stderr).toBe('')
  const lines = it.stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(1)
  const report = JSON.parse(lines[0]!)
  expect(report.allReady).toBe(true)
  expect(report.instances).toHaveLength(2)
  for (const instance of report.instances)
    expect(instance).toMatchObject({
      state: 'ready',
      kubernetesVersion: expect.stringMatching(/^v1\./),
      reason: null,
    })
  expect(report.secondsToFirstReady).toBeGreaterThan(0)
  expect(report.secondsToLastReady).toBeGreaterThanOrEqual(report.secondsToFirstReady)
  expect(Object.keys(report.urls)).toEqual(['api', 'grpc', 'health', 'host'])
  expect(await readdir(folder)).toEqual([])
})

it('a running playground answers the bundled command line and curl with the printed hints, and Ctrl-C stops it', async () => {
  const it = start('--instances', '1', '--members', '1', '--files', folder)
  await eventually('the fleet is up', () => it.stdout.includes('Ctrl-C stops everything'), {
    story: () => it.story(),
  })
  const ask = (...args: string[]) =>
    run(process.execPath, [program, ...args], {
      env: { KAIRSHIP_CLIENT_CONFIG: join(folder, 'client.yaml') },
    })

  await eventually('its member to be counted', async () =>
    /^NAME +PHASE .*\neu-west +Ready +\S+ +v1\.\S+ +1\/1 /.test((await ask('get', 'instances')).stdout),
  )
  expect((await ask('describe', 'instance', 'eu-west')).stdout).toMatch(
    /\nPhase: +Ready for .*\n[\s\S]*ControlPlaneHealthy +True/,
  )
  expect((await ask('kubeconfig', 'eu-west')).stdout).toContain('kind: Config')
  await expect(ask('get', 'instances', 'nowhere')).rejects.toMatchObject({ code: 3 })

  it.kill('SIGINT')
  expect(await it.ended, it.story()).toEqual({ code: 0, signal: null })
  expect(existsSync(join(folder, 'client.yaml'))).toBe(false)
  await expect(ask('get', 'instances')).rejects.toMatchObject({ code: 2 })
})

/** What a shell is given to run what the terminal shows: the tools on its path, and a home of its own. */
async function shellTools(): Promise<NodeJS.ProcessEnv> {
  const tools = join(folder, '.tools')
  await mkdir(tools)
  const [kubectl] = kubectls()
  if (kubectl) await symlink(kubectl, join(tools, 'kubectl'))
  return { PATH: `${tools}${delimiter}${process.env.PATH}`, HOME: join(folder, '.home') }
}

/** Runs one line in a shell in the folder until it has printed what matches, or to its end. @returns all it printed */
function inShell(line: string, env: NodeJS.ProcessEnv, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec ${line}`], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    const note = (text: string) => {
      said += text
      if (until?.test(said)) child.kill('SIGTERM')
    }
    child.stdout.setEncoding('utf8').on('data', note)
    child.stderr.setEncoding('utf8').on('data', note)
    child.once('error', reject)
    child.once('close', code => {
      if (code === 0 || until?.test(said)) resolve(said)
      else reject(new Error(`${line} ended with ${code}: ${said}`))
    })
  })
}

/** Lines of the terminal that can be pasted, of programs that this machine has, and for which nobody has to sign in. */
function hints(stdout: string): string[] {
  const commands = stdout.split('\n').flatMap(line => /^ {2}((?!https:)[a-z].*)$/.exec(line)?.[1] ?? [])
  // `login.test.ts` signs in, in a browser.
  const all = commands.filter(line => !/ login |login\.kubeconfig/.test(line))
  const missing = ['grpcurl', ...(kubectls().length === 0 ? ['kubectl'] : [])]
  return all.filter(line => !missing.some(tool => line.startsWith(tool)))
}

it.each([[[]], [['--files', 'my files']], [['--data', 'data']]])(
  'every command that a playground prints works in a shell: %j',
  async args => {
    running = KairshipProcess.start(['playground', '--instances', '1', '--members', '1', ...args], {}, folder)
    const it = running
    await eventually('the fleet is up', () => it.stdout.includes('Ctrl-C stops everything'), {
      story: () => it.story(),
    })
    const env = await shellTools()
    const lines = hints(it.stdout)
    expect(lines.length).toBeGreaterThanOrEqual(4)
    const answers: Record<string, string> = {}
    for (const line of lines)
      answers[line] = await inShell(line, env, /--watch/.test(line) ? /eu-west/ : undefined)
    const answerOf = (pattern: RegExp) => Object.entries(answers).find(([line]) => pattern.test(line))?.[1]
    expect(answerOf(/describe/)).toContain('eu-west')
    expect(answerOf(/^curl/)).toContain('"eu-west"')
    if (kubectls().length > 0) expect(answerOf(/get nodes/)).toContain('node-1')
  },
)

it('a second playground in the same folder refuses, and the first keeps its files', async () => {
  const args = ['playground', '--instances', '1', '--members', '0']
  const first = KairshipProcess.start(args, {}, folder)
  running = first
  await eventually('the fleet is up', () => first.stdout.includes('Ctrl-C stops everything'), {
    story: () => first.story(),
  })
  const before = (await readdir(join(folder, '.kairship'), { recursive: true })).sort()
  const second = KairshipProcess.start([...args, '--once'], {}, folder)
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.stderr).toBe(
    `error: --files: .kairship is in use by process ${first.pid}: stop it, or name another folder\n`,
  )
  expect((await readdir(join(folder, '.kairship'), { recursive: true })).sort()).toEqual(before)
  const { stdout } = await run(process.execPath, [program, 'get', 'instances'], { cwd: folder })
  expect(stdout).toContain('eu-west')
  first.kill('SIGINT')
  expect(await first.ended).toEqual({ code: 0, signal: null })
  expect(await readdir(folder)).toEqual([])
})

describe('a start-up error is one line that names the setting', () => {
  const oneLine = async (...args: string[]) => {
    const it = KairshipProcess.start(['playground', '--instances', '0', ...args], {}, folder)
    running = it
    const { code } = await it.ended
    return {
      code,
      error: it.stderr
        .split('\n')
        .filter(line => !/^ +[\d.]+ s /.test(line))
        .join('\n'),
    }
  }

  it.each(['--data', '--files'])('for a folder that cannot be created: %s', async flag => {
    await writeFile(join(folder, 'file'), '')
    const paths = ['file', 'file/below', ...(process.platform === 'linux' ? ['/proc/kairship'] : [])]
    for (const path of paths)
      expect(await oneLine(flag, path)).toEqual({
        code: 2,
        error: expect.stringMatching(new RegExp(`^error: ${flag}: ${path} cannot be used: [^\\n]+\\n$`)),
      })
  })

  it.each(['--listen', '--grpc-listen', '--health-listen'])('for an address in use: %s', async flag => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
    expect(await oneLine(flag, address)).toEqual({
      code: 1,
      error: expect.stringMatching(
        new RegExp(`^error: ${flag}: ${address} is in use by another process[^\\n]+\\n$`),
      ),
    })
  })
})

it('a closed pipe ends a command without a stack trace', async () => {
  const shell = `"${process.execPath}" "${program}" --help | true; echo "ended with \${PIPESTATUS[0]}"`
  const { stdout, stderr } = await run('bash', ['-c', shell], { cwd: folder })
  expect(stderr).toBe('')
  expect(stdout).toBe('ended with 141\n')
})

it('a playground with --data continues with its objects after a restart', async () => {
  const args = ['--once', '--json', '--instances', '1', '--members', '1', '--data', folder, ...patiently]
  const first = start(...args)
  expect(await first.ended, first.story()).toEqual({ code: 0, signal: null })
  const second = start(...args)
  expect(await second.ended, second.story()).toEqual({ code: 0, signal: null })
  const [before, after] = [first, second].map(({ stdout }) => JSON.parse(stdout))
  // Figures may come after readiness.
  const alike = (instances: object[]) => instances.map(instance => ({ ...instance, clusters: 'any' }))
  expect(alike(after.instances)).toEqual(alike(before.instances))
  expect(after.urls.host).toBe(before.urls.host)
})

it('a playground with --data that is killed with SIGKILL keeps every answered write, and is ready again', async () => {
  const args = ['--instances', '1', '--members', '1', '--data', folder]
  const up = async () => {
    const process = start(...args)
    await eventually('the fleet is up', () => process.stdout.includes('Ctrl-C stops everything'), {
      story: () => process.story(),
    })
    const kubeconfig = await readFile(join(folder, 'host.kubeconfig'), 'utf8')
    const client = await readFile(join(folder, 'client.yaml'), 'utf8')
    return { process, client, host: await connectKube(parseKubeconfig(kubeconfig, { local: false })) }
  }
  const notes = '/api/v1/namespaces/default/configmaps'
  const instance = resourcePath(INSTANCES, { name: 'eu-west' })
  const first = await up()
  // The CR trails the actor, which is what the terminal tells of.
  const ready = ({ host }: { host: KubeApi }) =>
    eventually('the CR is Ready', async () => {
      const seen = await host.request<Instance>({ method: 'GET', path: instance })
      return seen.status?.phase === 'Ready' && seen.status.controlPlaneID ? seen : undefined
    })
  const before = await ready(first)
  const saved = join(folder, 'saved.yaml')
  await writeFile(saved, first.client)
  const answered: KubeObject[] = []
  for (let index = 0; index < 20; index++)
    answered.push(
      await first.host.request<KubeObject>({
        method: 'POST',
        path: notes,
        body: { metadata: { name: `n${index}` } },
      }),
    )
  // Not a moment after the last answer, and with one more on its way.
  const unanswered = first.host.request({ method: 'POST', path: notes, body: { metadata: { name: 'last' } } })
  first.process.kill('SIGKILL')
  await unanswered.catch(() => undefined)
  expect((await first.process.ended).signal).toBe('SIGKILL')
  await first.host.close()

  const second = await up()
  const { items } = await second.host.request<KubeList<KubeObject>>({ method: 'GET', path: notes })
  const versions = (objects: readonly KubeObject[]) =>
    objects.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort()
  expect(versions(items.filter(({ metadata }) => /^n\d/.test(metadata.name)))).toEqual(versions(answered))
  const after = await ready(second)
  expect(after.metadata.uid).toBe(before.metadata.uid)
  expect(after.spec).toEqual(before.spec)
  expect(after.status?.controlPlaneID).toBe(before.status?.controlPlaneID)
  // Addresses, certificate and tokens are those of before.
  const listed = ['get', 'instances', '-o', 'name', '--client-config', saved]
  expect((await run(process.execPath, [program, ...listed])).stdout).toBe('instance.kairship.io/eu-west\n')
  await second.host.close()
})

it('contradictory settings exit with 2 before anything starts', async () => {
  running = KairshipProcess.start(['controller-manager', '--lease-duration-ms', '1000'])
  expect(await running.ended).toEqual({ code: 2, signal: null })
  expect(running.stderr).toMatch(
    /^error: leaseDurationMs \(1000\) must be greater than renewDeadlineMs \(10000\)/,
  )
})
