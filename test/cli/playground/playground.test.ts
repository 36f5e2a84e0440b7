import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { playground } from '../../../cli/playground/playground.js'
import { loadConfig } from '../../../cli/settings/load-config.js'
import type { Fleet, InstanceView } from '../../../ports/fleet.js'

const registering: InstanceView = {
  name: 'eu-west',
  state: 'registering',
  since: '2026-01-01T00:00:00Z',
  instance: { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name: 'eu-west' }, spec: {} },
  conditions: [
    {
      type: 'CredentialsResolved',
      status: 'False',
      reason: 'SecretMissing',
      message: 'no Secret a/b',
      lastTransitionTime: '',
    },
  ],
}

/** A fleet of one instance that stays as it is until nobody looks any more. */
const unchanging = (view: InstanceView): Pick<Fleet, 'watch'> => ({
  async *watch({ signal }) {
    yield { type: 'ADDED', view }
    yield { type: 'BOOKMARK' }
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  },
})

type Granted = (signal: AbortSignal) => Promise<boolean>

/** Runs `playground --once` for a fleet of one instance. */
const once = (view: InstanceView) =>
  start(view, { once: true }, async () => expect.unreachable('nothing is printed that needs roles'))

/** Runs `playground` for a fleet of one instance, until it has printed its commands. */
const stay = (granted: Granted) => start({ ...registering, state: 'ready', conditions: [] }, {}, granted)

async function start(view: InstanceView, flags: { once?: true }, granted: Granted) {
  const folder = await mkdtemp(join(tmpdir(), 'kairship-playground-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  let said = ''
  const config = loadConfig('playground', {
    flags: { ...flags, readyTimeoutMs: '100', files: join(folder, 'files') },
    environment: {},
    readFile: () => '',
  })
  const interrupted = new AbortController()
  const note = (text: string): void => {
    said += text
    if (text.includes('Ctrl-C')) interrupted.abort()
  }
  const code = await playground(config, {
    start: async () => ({
      instances: ['eu-west'],
      fleet: unchanging(view) as Fleet,
      granted: signal => granted(signal).finally(() => (said += 'roles settled\n')),
      urls: { api: '', grpc: '', health: '', host: '' },
      secrets: {
        server: '',
        certificateAuthority: '',
        adminToken: 'secret',
        viewerToken: 'secret',
        chaos: { url: '', token: 'secret' },
        hostKubeconfig: '',
        instanceKubeconfigs: {},
        memberKubeconfigs: {},
      },
    }),
    terminal: { out: note, err: note },
    interrupted: interrupted.signal,
    elapsedMs: () => 1_500,
    lock: () => () => undefined,
    program: 'kairship',
  })
  return { code, said, left: await readdir(folder) }
}

it('with --once exits with 5 when an instance is not ready in time, names its broken part, and leaves no files', async () => {
  const { code, said, left } = await once(registering)
  expect(code).toBe(ExitCode.timedOut)
  expect(said).toContain(
    'not all instances became ready:\neu-west is Registering: CredentialsResolved: no Secret a/b',
  )
  expect(left).toEqual([])
})

it('with --once prints the instances, and no commands, because its servers stop at once', async () => {
  const { code, said } = await once({ ...registering, state: 'ready', conditions: [] })
  expect(code).toBe(ExitCode.ok)
  expect(said).toMatch(/\n1 instance ready after 1\.5 s\.\n\nNAME .*\neu-west +Ready .*\n$/)
})

it('prints commands once their user may run them', async () => {
  const { code, said } = await stay(async () => true)
  expect(code).toBe(ExitCode.ok)
  expect(said.indexOf('roles settled')).toBeGreaterThan(-1)
  expect(said.indexOf('Try next:')).toBeGreaterThan(said.indexOf('roles settled'))
  expect(said).not.toContain('not in effect')
})

it('prints commands after ten seconds without roles, and that they may be refused', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => timeout.mockRestore())
  const { said } = await stay(async () => false)
  expect(timeout).toHaveBeenCalledWith(10_000)
  expect(said.indexOf('refused for a while')).toBeGreaterThan(-1)
  expect(said.indexOf('Try next:')).toBeGreaterThan(said.indexOf('refused for a while'))
})
