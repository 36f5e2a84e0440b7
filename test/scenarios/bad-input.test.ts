import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTANCES, type Instance, type InstanceSpec } from '../../manifests/instance.js'
import { resourcePath } from '../../manifests/kube.js'
import { createAuthority } from '../../playground/apiserver/access/certificates.js'
import { SECRETS } from '../../playground/objects/core-types.js'
import { eventually } from './support/eventually.js'
import { Scenario } from './support/scenario.js'

const namespace = 'karmada-instances'
const [untouched, renamed, healed, free] = ['eu-west', 'us-east', 'ap-south', 'sa-east'] as const
/** As long as a name may be. */
const longest = `a${'-'.repeat(46)}z`
let scenario: Scenario

beforeAll(async () => {
  scenario = await Scenario.start({ instances: 4 })
  scenario.replica('a')
  for (const name of [untouched, renamed, healed, free]) await scenario.phase(name, 'Ready')
  for (const name of [renamed, healed, free]) {
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
  }
})
afterAll(() => scenario.end())

const instance = (name: string, spec: InstanceSpec): Instance => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'Instance',
  metadata: { name },
  spec,
})
const adopting = (name: string, secret: string): Instance =>
  instance(name, { kubeconfigSecretRef: { namespace, name: secret } })
const kubeconfigOf = (karmada: string): Promise<string> =>
  scenario.playground.karmadas
    .get(karmada)!
    .server.kubeconfig({ name: 'kairship', groups: ['system:masters'] })
const writeSecret = (name: string, data: Record<string, string>): Promise<void> =>
  scenario.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    ),
  } as never)

/** Waits until an instance says what is wrong with it, and returns the words. */
const complaint = (name: string, type: string, reason: RegExp): Promise<string> =>
  eventually(
    `${name} says ${reason} in ${type}`,
    async () => {
      const seen = await scenario.find<Instance>(INSTANCES, name)
      const condition = seen?.status?.conditions?.find(one => one.type === type)
      return condition?.status !== 'True' && reason.test(condition?.reason ?? '')
        ? condition?.message
        : undefined
    },
    scenario.patience,
  )

describe('an Instance', () => {
  it('that is invalid is refused by the API server with the reason', async () => {
    const neither = scenario.create(INSTANCES, instance('neither', {}))
    await expect(neither).rejects.toThrow(/exactly one of kubeconfigSecretRef and install must be set/)
    const long = scenario.create(INSTANCES, adopting(`${longest}x`, 'any'))
    await expect(long).rejects.toThrow(/metadata\.name: Too long/)
  })

  it('with unknown fields is stored without them, and refused with strict validation', async () => {
    const object = {
      ...adopting('strange', 'missing'),
      spec: { ...adopting('x', 'missing').spec, colour: 'red' },
    }
    const strict = scenario.host.local.request({
      method: 'POST',
      path: resourcePath(INSTANCES),
      query: { fieldValidation: 'Strict' },
      body: object,
    })
    await expect(strict).rejects.toThrow(/unknown field "spec\.colour"/)
    await scenario.create(INSTANCES, object)
    expect((await scenario.find<Instance>(INSTANCES, 'strange'))?.spec).not.toHaveProperty('colour')
  })

  it('with the longest name becomes ready, from a Secret of the largest size and a large kubeconfig', async () => {
    const kubeconfig = `${await kubeconfigOf(renamed)}\n${'# padding\n'.repeat(25_000)}`
    await writeSecret('large', { kubeconfig, other: 'x'.repeat(700_000) })
    await scenario.create(INSTANCES, adopting(longest, 'large'))
    await scenario.phase(longest, 'Ready')
    await scenario.remove(INSTANCES, longest)
    await scenario.gone(longest)
  })

  it('without its Secret reports that, and becomes ready when the Secret is written', async () => {
    await scenario.create(INSTANCES, adopting('waiting', 'late'))
    expect(await complaint('waiting', 'CredentialsResolved', /^SecretNotFound$/)).toContain(
      `${namespace}/late`,
    )
    await writeSecret('late', { kubeconfig: await kubeconfigOf(healed) })
    await scenario.phase('waiting', 'Ready')
  })

  it('for the control plane of another Instance names that one, which stays ready', async () => {
    await writeSecret('copy', { kubeconfig: await kubeconfigOf(untouched) })
    await scenario.create(INSTANCES, adopting('copycat', 'copy'))
    expect(await complaint('copycat', 'Accepted', /^Duplicate/)).toContain(
      `the kubeconfig of instance ${untouched}, which is older, leads to the same`,
    )
  })

  const broken: [what: string, type: string, reason: RegExp, data: () => Promise<Record<string, string>>][] =
    [
      ['no kubeconfig in it', 'CredentialsResolved', /^SecretKeyMissing$/, async () => ({ other: 'x' })],
      ['a kubeconfig that is not YAML', 'CredentialsResolved', /./, async () => ({ kubeconfig: '{{{' })],
      [
        'a kubeconfig of more than 256 KiB',
        'CredentialsResolved',
        /./,
        async () => ({ kubeconfig: `${await kubeconfigOf(renamed)}\n${'# padding\n'.repeat(27_000)}` }),
      ],
      [
        'a kubeconfig that names a local file',
        'CredentialsResolved',
        /./,
        async () => ({
          kubeconfig: (await kubeconfigOf(renamed)).replace(/client-key-data: .*/, 'client-key: /etc/passwd'),
        }),
      ],
      [
        'an endpoint where no server listens',
        'ControlPlaneHealthy',
        /./,
        async () => ({
          kubeconfig: (await kubeconfigOf(renamed)).replace(/server: .*/, 'server: https://127.0.0.1:1'),
        }),
      ],
      [
        'the authority of another cluster',
        'ControlPlaneHealthy',
        /./,
        async () => {
          const { certificate } = await createAuthority('somebody else')
          const data = Buffer.from(certificate).toString('base64')
          return {
            kubeconfig: (await kubeconfigOf(renamed)).replace(
              /certificate-authority-data: .*/,
              `certificate-authority-data: ${data}`,
            ),
          }
        },
      ],
    ]
  for (const [index, [what, type, reason, data]] of broken.entries())
    it(`whose Secret has ${what} reports that, without quoting the Secret`, async () => {
      const given = await data()
      await writeSecret(`broken-${index}`, given)
      await scenario.create(INSTANCES, adopting(`broken-${index}`, `broken-${index}`))
      const message = await complaint(`broken-${index}`, type, reason)
      expect(message.length).toBeGreaterThan(10)
      const [, key = 'never there'] = /client-key-data: (\S+)/.exec(given.kubeconfig ?? '') ?? []
      expect(JSON.stringify(await scenario.find(INSTANCES, `broken-${index}`))).not.toContain(key)
      expect(scenario.patience.story()).not.toContain(key)
    })

  it('with any problem does not affect other instances', async () => {
    expect((await scenario.find<Instance>(INSTANCES, untouched))?.status?.phase).toBe('Ready')
    const changes = scenario.happenings.filter(
      ({ what, object }) =>
        what === `Instance ${untouched}` && (object as Instance).status?.phase === 'Degraded',
    )
    expect(changes).toEqual([])
  })
})

describe('kubectl', () => {
  const kubectl = process.env.KAIRSHIP_KUBECTL?.split(':')[0] ?? 'kubectl'
  const run = promisify(execFile)

  it('applies an Instance, waits until it is ready, describes and deletes it', async context => {
    await run(kubectl, ['version', '--client']).catch(() => context.skip('no kubectl here'))
    const config = join(scenario.folder, 'admin')
    await writeFile(config, scenario.playground.kubeconfigs.admin, { mode: 0o600 })
    const ask = (...args: string[]) => run(kubectl, ['--kubeconfig', config, ...args])
    await writeSecret('for-kubectl', { kubeconfig: await kubeconfigOf(free) })
    const file = join(scenario.folder, 'instance.yaml')
    await writeFile(file, JSON.stringify(adopting('by-kubectl', 'for-kubectl')))

    expect((await ask('apply', '-f', file)).stdout).toBe('instance.kairship.io/by-kubectl created\n')
    await ask('wait', '--for=condition=Ready', 'instance/by-kubectl', '--timeout=250s')
    expect((await ask('get', 'inst', 'by-kubectl')).stdout).toMatch(
      /^NAME +PHASE +READY .*\nby-kubectl +Ready +True /,
    )
    expect((await ask('describe', 'inst', 'by-kubectl')).stdout).toContain('Kubernetes Version:')
    expect((await ask('apply', '-f', file)).stdout).toBe('instance.kairship.io/by-kubectl unchanged\n')
    expect((await ask('delete', 'inst', 'by-kubectl')).stdout).toBe(
      'instance.kairship.io "by-kubectl" deleted\n',
    )
    expect(await scenario.find(INSTANCES, 'by-kubectl')).toBeUndefined()
  })
  it('explains a type of a control plane’s aggregated API', async context => {
    await run(kubectl, ['version', '--client']).catch(() => context.skip('no kubectl here'))
    const config = join(scenario.folder, 'karmada')
    await writeFile(config, await kubeconfigOf(untouched), { mode: 0o600 })
    const { stdout } = await run(kubectl, ['--kubeconfig', config, 'explain', 'cluster.spec.syncMode'])
    expect(stdout).toMatch(/syncMode\s+<string>/)
  })
})
