import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ExitCode } from '../../cli/exit-code.js'
import { loadConfig } from '../../cli/load-config.js'
import { playground } from '../../cli/playground.js'
import type { Fleet, InstanceView } from '../../ports/fleet.js'

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

/** Runs `playground --once` for a fleet of one instance. */
async function once(view: InstanceView) {
  const folder = await mkdtemp(join(tmpdir(), 'kairship-playground-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  let said = ''
  const config = loadConfig('playground', {
    flags: { once: true, readyTimeoutMs: '100', files: join(folder, 'files') },
    environment: {},
    readFile: () => '',
  })
  const code = await playground(config, {
    start: async () => ({
      instances: ['eu-west'],
      fleet: unchanging(view) as Fleet,
      urls: { api: '', grpc: '', health: '', host: '' },
      secrets: {
        server: '',
        certificateAuthority: '',
        adminToken: 'secret',
        viewerToken: 'secret',
        chaos: { url: '', token: 'secret' },
        hostKubeconfig: '',
        instanceKubeconfigs: {},
      },
    }),
    terminal: { out: text => (said += text), err: text => (said += text) },
    interrupted: new AbortController().signal,
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
