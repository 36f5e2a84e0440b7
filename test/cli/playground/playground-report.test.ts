import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { awaitReady, whyNotReady } from '../../../cli/playground/await-ready.js'
import {
  type PlaygroundSecrets,
  removePlaygroundFiles,
  writePlaygroundFiles,
} from '../../../cli/playground/playground-files.js'
import { jsonLine, notReady, welcome } from '../../../cli/playground/playground-report.js'
import type { Fleet, FleetEvent, InstanceState, InstanceView } from '../../../ports/fleet.js'

const view = (name: string, state: InstanceState, message = ''): InstanceView => ({
  name,
  state,
  since: '2026-01-01T00:00:00Z',
  instance: { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name }, spec: {} },
  conditions: message
    ? [
        {
          type: 'CredentialsResolved',
          status: 'False',
          reason: 'SecretMissing',
          message,
          lastTransitionTime: '',
        },
      ]
    : [],
})
const told = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, state: InstanceState): FleetEvent => ({
  type,
  view: view(name, state),
})
const bookmark: FleetEvent = { type: 'BOOKMARK' }

/** A fleet whose watch tells these events and then stays open until aborted. */
function telling(events: readonly FleetEvent[], signal: AbortSignal): Pick<Fleet, 'watch'> {
  return {
    async *watch() {
      yield* events
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        if (signal.aborted) reject(signal.reason)
      })
    },
  }
}

async function awaited(expected: string[], events: readonly FleetEvent[], aborted = false) {
  let now = 0
  const interrupt = new AbortController()
  const changes: string[] = []
  const waiting = awaitReady(
    telling(events, interrupt.signal) as Fleet,
    expected,
    () => ++now,
    interrupt.signal,
    views => changes.push(views.map(({ name, state }) => `${name} ${state}`).join(', ')),
  )
  if (aborted) setImmediate(() => interrupt.abort())
  return { readiness: await waiting, changes }
}

describe('waiting for a fleet', () => {
  it('ends when all expected instances are ready, and records the first and the last', async () => {
    const { readiness, changes } = await awaited(
      ['eu', 'us'],
      [
        told('ADDED', 'us', 'registering'),
        bookmark,
        told('MODIFIED', 'us', 'ready'),
        told('ADDED', 'eu', 'registering'),
        told('MODIFIED', 'eu', 'ready'),
      ],
    )
    expect(readiness).toMatchObject({ allReady: true, firstReadyMs: 1, lastReadyMs: 2 })
    expect(readiness.views.map(({ name }) => name)).toEqual(['eu', 'us'])
    expect(changes.at(-2)).toBe('eu registering, us ready')
  })

  it('does not end before the bookmark', async () => {
    const { readiness } = await awaited(
      [],
      [told('ADDED', 'a', 'ready'), told('ADDED', 'b', 'registering'), bookmark],
      true,
    )
    expect(readiness.allReady).toBe(false)
  })

  it('waits for unexpected instances, and not for deleted ones', async () => {
    const stranger = await awaited(
      ['eu'],
      [told('ADDED', 'eu', 'ready'), told('ADDED', 'x', 'degraded'), bookmark],
      true,
    )
    expect(stranger.readiness.allReady).toBe(false)
    const gone = await awaited(
      [],
      [told('ADDED', 'x', 'degraded'), bookmark, told('DELETED', 'x', 'deleting')],
    )
    expect(gone.readiness.allReady).toBe(true)
  })

  it('ends at once for an empty fleet when nothing is expected', async () => {
    expect((await awaited([], [bookmark])).readiness).toMatchObject({ allReady: true, views: [] })
  })

  it('returns its progress when it is interrupted', async () => {
    const { readiness } = await awaited(['eu', 'us'], [told('ADDED', 'eu', 'ready'), bookmark], true)
    expect(readiness).toMatchObject({ allReady: false, firstReadyMs: 1, views: [{ name: 'eu' }] })
    expect(readiness.lastReadyMs).toBeUndefined()
  })
})

it('an instance that is not ready is reported with its broken part and the reason', () => {
  expect(whyNotReady(view('eu', 'ready', 'stale'))).toBeUndefined()
  expect(whyNotReady(view('eu', 'registering'))).toBe('Registering')
  expect(whyNotReady(view('eu', 'degraded', 'no Secret a/b'))).toBe(
    'Degraded: CredentialsResolved: no Secret a/b',
  )
  expect(
    notReady({ allReady: false, views: [view('eu', 'degraded', 'no Secret a/b'), view('us', 'ready')] }),
  ).toBe('eu is Degraded: CredentialsResolved: no Secret a/b')
  expect(notReady({ allReady: false, views: [] })).toBe('no instance was seen')
})

describe('the output of a playground', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kairship-files-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const secrets: PlaygroundSecrets = {
    server: 'https://127.0.0.1:1',
    certificateAuthority: 'PEM\n',
    adminToken: 'a',
    viewerToken: 'v',
    chaos: { url: 'http://127.0.0.1:1', token: 'c' },
    hostKubeconfig: 'host',
    instanceKubeconfigs: { eu: 'eu-config' },
    memberKubeconfigs: { 'eu-a': 'eu-a-config' },
  }
  const urls = {
    api: 'https://127.0.0.1:1',
    grpc: '127.0.0.1:2',
    health: 'http://127.0.0.1:3',
    host: 'https://127.0.0.1:4',
  }
  const ready = { allReady: true, views: [view('eu', 'ready')], firstReadyMs: 1234, lastReadyMs: 1234 }

  it('is readable by its owner only, even where older files were readable by all', async () => {
    await writeFile(join(folder, 'admin.token'), 'old', { mode: 0o644 })
    const files = await writePlaygroundFiles(folder, secrets)
    for (const path of [
      files.adminToken,
      files.clientConfig,
      files.instanceKubeconfigs.eu!,
      files.memberKubeconfigs['eu-a']!,
    ])
      expect((await stat(path)).mode & 0o777, path).toBe(0o600)
    expect(parse(await readFile(files.clientConfig, 'utf8'))).toEqual({
      server: urls.api,
      certificateAuthorityData: 'PEM\n',
      token: 'a',
    })
  })

  it('is removed when it stops, and nothing else is', async () => {
    await writeFile(join(folder, 'mine.txt'), '')
    await removePlaygroundFiles(await writePlaygroundFiles(folder, secrets))
    expect(await readdir(folder)).toEqual(['mine.txt'])
  })

  it('says how to log in at its issuer, with the password that is also in a file', async () => {
    const issuer = { url: 'https://127.0.0.1:5', password: 'guess-me' }
    const files = await writePlaygroundFiles(folder, { ...secrets, issuer })
    const text = welcome(ready, { urls, files, program: 'kairship', issuer })
    expect(text).toMatch(/ada \(Admin\).* with the password guess-me$/m)
    expect(text).toMatch(/^ {2}kairship login --kubeconfig \S+login\.kubeconfig/m)
    expect(text).toMatch(
      /^ {2}kubectl --kubeconfig \S+login\.kubeconfig --context kairship-eu get clusters$/m,
    )
    expect(await readFile(files.issuerPassword ?? '', 'utf8')).toBe('guess-me')
    expect((await stat(files.issuerPassword ?? '')).mode & 0o777).toBe(0o600)
    expect(jsonLine(ready, { urls, files, program: 'kairship', issuer })).not.toContain('guess-me')
  })

  it('is one line of JSON for scripts, without secrets', async () => {
    const files = await writePlaygroundFiles(folder, secrets)
    const line = jsonLine(ready, { urls, files, program: 'kairship' })
    expect(line.endsWith('}\n') && line.trimEnd().includes('\n')).toBe(false)
    expect(JSON.parse(line)).toMatchObject({
      allReady: true,
      instances: [{ name: 'eu', state: 'ready', reason: null }],
      secondsToFirstReady: 1.234,
      secondsToLastReady: 1.234,
      urls,
    })
  })

  it('is a table and commands with the paths and ports of this run', async () => {
    const files = await writePlaygroundFiles(folder, secrets)
    const text = welcome(ready, { urls, files, program: 'node dist/kairship.js', member: 'eu-a' })
    expect(text).toContain('1 instance ready after 1.2 s.')
    for (const path of [
      files.certificateAuthority,
      files.adminToken,
      files.hostKubeconfig,
      files.instanceKubeconfigs.eu!,
      files.memberKubeconfigs['eu-a']!,
      urls.api,
      urls.grpc,
    ])
      expect(text).toContain(path)
    expect(text).not.toContain('PEM')
    expect(text).toContain(`${urls.api}/docs,`)
    expect(text).toContain(`${urls.api}/openapi.json.`)
    expect(text).toContain(
      `node dist/kairship.js kubeconfig eu --client-config ${files.clientConfig} > ${files.folder}/`,
    )
    expect(text).toContain(
      `--server ${urls.api}/apis/kairship.io/v1alpha1/instances/eu/proxy/apis/cluster.karmada.io/v1alpha1/clusters/eu-a/proxy get nodes`,
    )
  })

  it('has commands that a shell parses for any folder name', async () => {
    const files = await writePlaygroundFiles(join(folder, "a b's"), secrets)
    expect(welcome(ready, { urls, files, program: 'kairship' })).toContain(
      `kairship get instances --watch --client-config '${files.clientConfig.replace("'", `'\\''`)}'`,
    )
  })

  it('omits a client config that is found by default', async () => {
    const files = { ...(await writePlaygroundFiles(folder, secrets)), clientConfig: '.kairship/client.yaml' }
    expect(welcome(ready, { urls, files, program: 'kairship' })).toContain('kairship get instances --watch\n')
  })
})
