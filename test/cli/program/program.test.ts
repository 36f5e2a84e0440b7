import { describe, expect, it } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { type Actions, run } from '../../../cli/program/program.js'
import { flagOf, settableFrom, settingsOf } from '../../../cli/settings/load-config.js'
import { type CommandName, type Config, settings } from '../../../config.js'
import { KubeconfigError } from '../../../ports/kube-api.js'

const commands: readonly CommandName[] = settings.config.commands

/** Runs a command line whose actions only take notes. */
async function typed(line: string, outcome: () => Promise<ExitCode> = async () => ExitCode.ok) {
  const called: { command: string; config: Config; names: readonly string[] }[] = []
  const out: string[] = []
  const err: string[] = []
  const actions = Object.fromEntries(
    commands.map(command => [
      command,
      (config: Config, ...names: string[]) => {
        called.push({ command, config, names })
        return outcome()
      },
    ]),
  ) as unknown as Actions
  const exitCode = await run(
    line.split(' ').filter(Boolean),
    actions,
    { environment: {}, readFile: () => '' },
    { out: text => out.push(text), err: text => err.push(text) },
  )
  return { called, exitCode, out: out.join(''), err: err.join('') }
}

/** A command with the arguments that it demands. */
const lineOf = (command: string): string => {
  if (/^(trace|explain|rollback|logs)$/.test(command)) return `${command} eu deployment shop/web`
  if (command === 'preview') return 'preview eu policy.yaml'
  if (/^(can-i|who-can)$/.test(command)) return `${command} eu get pods`
  if (command === 'lock') return 'lock user/ann'
  if (command === 'unlock') return 'unlock lock-7'
  if (command === 'give-role') return 'give-role Viewer user/ann instance/eu'
  if (command === 'take-role') return 'take-role team'
  if (/^workspace (un)?bind$/.test(command)) return `${command} shop instance/eu`
  if (command === 'completion') return 'completion bash'
  if (command === 'playground chaos') return 'playground chaos list'
  return /instance$|kubeconfig|adopt|clusters|workloads|policies/.test(command) ? `${command} eu` : command
}

describe('the command line', () => {
  it('runs every command', async () => {
    for (const command of commands) {
      const words = lineOf(command)
      const { called, exitCode } = await typed(words)
      expect(
        called.map(call => call.command),
        words,
      ).toEqual([command])
      expect(exitCode).toBe(ExitCode.ok)
    }
  })

  it('passes settings and names to a command', async () => {
    const { called } = await typed('get inst eu us -o wide -w')
    expect(called[0]).toMatchObject({ names: ['eu', 'us'], config: { output: 'wide', watch: true } })
  })

  it('passes -n and --namespace, as kubectl has them', async () => {
    for (const flag of ['-n shop', '--namespace shop', '--namespace=shop']) {
      const { called } = await typed(`trace eu deployment/web ${flag}`)
      expect(called[0], flag).toMatchObject({
        names: ['eu', 'deployment/web'],
        config: { inNamespace: 'shop' },
      })
    }
  })

  it('passes the arguments of chaos, with a setting that its parent has too', async () => {
    const { called } = await typed('playground chaos cut eu-west-a --files here')
    expect(called[0]).toMatchObject({
      command: 'playground chaos',
      names: ['cut', 'eu-west-a'],
      config: { files: expect.stringMatching(/here$/) },
    })
  })

  it('passes every switch of every command', async () => {
    for (const command of commands)
      for (const name of settingsOf(command).filter(it => settableFrom(it, 'flag'))) {
        if (settings[name].kind.placeholder !== undefined) continue
        const words = `${lineOf(command)} ${flagOf(name)}`
        const { called } = await typed(words)
        expect(called[0]?.config, words).toMatchObject({ [name]: true })
      }
  })

  it.each(['get', 'describe', 'inspect', 'delete'])('%s accepts instance, instances and inst', async verb => {
    for (const noun of ['instance', 'instances', 'inst'])
      expect((await typed(`${verb} ${noun} eu`)).called[0]?.names, noun).toEqual(['eu'])
  })

  it('prints help for every command, with each of its flags and no others', async () => {
    for (const command of commands) {
      const { out, exitCode, called } = await typed(`${command} --help`)
      expect(exitCode, command).toBe(ExitCode.ok)
      expect(called).toEqual([])
      const flags = new Set(
        out.match(/^\s+(?:-\w, )?--[a-z-]+/gm)?.map(flag => flag.trim().replace(/^-\w, /, '')),
      )
      const expected = settingsOf(command)
        .filter(name => settableFrom(name, 'flag'))
        .map(flagOf)
      expect(flags, command).toEqual(new Set([...expected, '--help']))
    }
  })

  it('names no default that says nothing', async () => {
    for (const command of commands)
      expect((await typed(`${command} --help`)).out, command).not.toMatch(/\(default:\s*\)/)
  })

  const wrong: [line: string, message: RegExp][] = [
    ['get instnces', /unknown command 'instnces'\n\(Did you mean instances\?\)/],
    [
      'serve --lease-duraton-ms 3',
      /unknown option '--lease-duraton-ms'\n\(Did you mean --lease-duration-ms\?\)/,
    ],
    ['serve --log-level', /argument missing/],
    ['serve --log-level loud', /error: --log-level must be one of/],
    ['get pods -A', /error: pods are in the member clusters of an instance:\n.*kairship workloads INSTANCE/],
    ['get deploy web', /unknown command 'deploy'[\s\S]*kairship workloads INSTANCE/],
    ['workloads eu -A -n shop', /--all-namespaces and --namespace exclude each other/],
    ['describe instance', /missing required argument 'name'/],
    ['serve extra', /too many arguments/],
    ['apiserver --lease-duration-ms 5000', /unknown option/],
    ['kubeconfig eu --token abc', /unknown option '--token'/],
  ]
  for (const [line, message] of wrong)
    it(`refuses "${line}" and starts nothing`, async () => {
      const { called, exitCode, err } = await typed(line)
      expect(called).toEqual([])
      expect(exitCode).toBe(ExitCode.usage)
      expect(err).toMatch(message)
    })

  it('turns a failed command into its message and exit code', async () => {
    const { exitCode, err } = await typed('kubeconfig eu', async () => {
      throw new CommandError('instance eu does not exist', ExitCode.notFound)
    })
    expect([exitCode, err]).toEqual([ExitCode.notFound, 'error: instance eu does not exist\n'])
  })

  it.each([
    [
      'a kubeconfig that cannot be used',
      new KubeconfigError('kubeconfig: /x does not exist'),
      ExitCode.usage,
      'kubeconfig: /x does not exist',
    ],
    [
      'an address that is taken',
      new Error('listen EADDRINUSE: address already in use 127.0.0.1:8080'),
      ExitCode.failed,
      expect.stringContaining('--health-listen: 127.0.0.1:8080 is in use'),
    ],
  ])('explains %s in one line', async (_what, error, code, message) => {
    const { exitCode, err } = await typed('serve', () => Promise.reject(error))
    expect([exitCode, err.replace(/^error: |\n$/g, '')]).toEqual([code, message])
  })

  it('rethrows a programming error', async () => {
    const defect = new TypeError('x is not a function')
    await expect(typed('version', () => Promise.reject(defect))).rejects.toBe(defect)
  })
})
