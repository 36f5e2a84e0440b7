import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnReads } from '../../../../http/objects/requests/own-requests.js'
import { interpreterOf } from '../../../../http/rpc/placement/interpreter-rules.js'
import { Reader } from '../../../../http/rpc/placement/reader.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { customizationOf } from '../../../karmada/customized.js'
import { eventually } from '../../../scenarios/support/eventually.js'
import { curl } from '../../fakes/listening.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../proxy/playground-proxy.js'
import { recordingObjects } from '../recording-objects.js'
import { NO_OWN_READS } from './own-reads.js'

const kind = (name: string) => ({ apiVersion: 'apps/v1', kind: name })
const call = { signal: new AbortController().signal } as never
const read = (get: OwnReads['get']) =>
  interpreterOf(new Reader(recordingObjects(() => undefined).objects, { get }, call, { instance: 'i' }))

describe('the interpreter of an instance', () => {
  it('is Karmada’s own where the control plane serves no customizations', async () => {
    const { notes, interpretation } = await read(NO_OWN_READS.get)
    expect(notes).toEqual([])
    expect(interpretation.counted({ ...kind('Deployment'), metadata: { name: 'a' } }).replicas).toBeDefined()
  })

  it('says what Kairship may not read', async () => {
    const { notes } = await read(async (_call, _instance, { path }) => {
      if (path.endsWith('customizations'))
        throw new StatusError({ ...bareStatus(403, 'not for Kairship'), reason: 'Forbidden' })
      return {} as never
    })
    expect(notes).toEqual([
      'templates are counted by Karmada’s own rules: Kairship may not read resourceinterpretercustomizations: not for Kairship',
    ])
  })

  it('leaves out a customization with a script that is too large', async () => {
    const replicaResource = `function GetReplicas(obj) return 9, nil end -- ${'x'.repeat(65_536)}`
    const { notes, interpretation } = await read(async (_call, _instance, { path }) => {
      const items = path.endsWith('customizations')
        ? [customizationOf(kind('Deployment'), { replicaResource })]
        : []
      return { items } as never
    })
    expect(notes).toEqual([
      'ResourceInterpreterCustomization rules is left out: it has a script of more than 65536 characters',
    ])
    const template = { ...kind('Deployment'), metadata: { name: 'a' }, spec: { replicas: 2 } }
    expect(interpretation.counted(template).replicas?.replicas).toBe(2)
  })

  it('is not guessed when it cannot be read now', async () => {
    const unavailable = new StatusError(bareStatus(503, 'later'))
    await expect(read(() => Promise.reject(unavailable))).rejects.toBe(unavailable)
  })
})

describe('a preview in an instance with ResourceInterpreterCustomizations', () => {
  let world: PlaygroundProxy
  beforeAll(async () => {
    world = await startPlaygroundProxy({ members: 2 })
    await letIn(world)
  })
  afterAll(() => world.close())

  /** A request as the administrator, or as another person of the playground. */
  const ask = async (method: string, path: string, body?: object, token = world.playground.tokens.admin) => {
    const url = `/apis/kairship.io/v1alpha1/instances/${world.instance}${path}`
    const answer = await curl(world.api, url, { token }, {}, method, body)
    return { ...answer, json: JSON.parse(answer.text) }
  }
  const create = async (path: string, object: object) => {
    const { status, text } = await ask('POST', `/proxy${path}`, object)
    expect(status, text).toBe(201)
  }
  const customize = (target: string, scripts: Parameters<typeof customizationOf>[1]) =>
    create(
      '/apis/config.karmada.io/v1alpha1/resourceinterpretercustomizations',
      customizationOf(kind(target), scripts, target.toLowerCase()),
    )
  const deploy = (of: string, name: string, replicas: number) => {
    const template = {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    }
    const spec = { replicas, selector: { matchLabels: { app: name } }, template, serviceName: name }
    return create(`/apis/apps/v1/namespaces/default/${of.toLowerCase()}s`, { metadata: { name }, spec })
  }
  const policy = (of: string, name: string, placement: object) => ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name, namespace: 'default' },
    spec: { resourceSelectors: [{ ...kind(of), name }], placement },
  })
  const preview = async (wanted: object, token?: string) => {
    const { status, json, text } = await ask(
      'POST',
      '/policies:preview',
      { data: JSON.stringify(wanted) },
      token,
    )
    expect(status, text).toBe(200)
    return json.templates[0]
  }
  /** Stores a policy, and returns the binding that Karmada schedules. */
  const apply = async (wanted: { readonly metadata: { readonly name: string } }, suffix: string) => {
    await create('/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies', wanted)
    const { name } = wanted.metadata
    const path = `/proxy/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/${name}-${suffix}`
    return eventually(`${name} is scheduled`, async () => {
      const { spec } = (await ask('GET', path)).json
      return spec?.clusters && spec
    })
  }
  const divided = (...clusterNames: readonly string[]) => ({
    clusterAffinity: { clusterNames },
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
  })
  interface Row {
    readonly cluster: string
    readonly after?: number
  }

  it('gives the replicas and manifests that Karmada then makes with its scripts, also to a viewer', async () => {
    await customize('Deployment', {
      replicaResource:
        'function GetReplicas(obj) return obj.spec.replicas * 3, { resourceRequest = { cpu = "5m" } } end',
      replicaRevision:
        'function ReviseReplica(obj, n) obj.spec.replicas = n obj.spec.minReadySeconds = 2 return obj end',
    })
    await deploy('Deployment', 'web', 2)
    const members = [...world.playground.members.keys()].sort()
    const wanted = policy('Deployment', 'web', divided(...members))
    const before = await preview(wanted, world.playground.tokens.viewer)
    const { placement, manifests } = await preview(wanted)
    expect(before.placement).toEqual(placement)
    const targets = placement.clusters.map(({ cluster, after }: Row) => ({ name: cluster, replicas: after }))
    expect(targets.map(({ replicas }: { replicas: number }) => replicas)).toEqual([3, 3])

    const { clusters, replicas } = await apply(wanted, 'deployment')
    expect({ clusters, replicas }).toEqual({ clusters: targets, replicas: 6 })
    const [member = ''] = members
    const work = await eventually('the Work is there', async () => {
      const path = `/proxy/apis/work.karmada.io/v1alpha1/namespaces/karmada-es-${member}/works`
      const { items } = (await ask('GET', path)).json
      return items.find((one: { metadata: { name: string } }) => one.metadata.name.startsWith('web-'))
    })
    const { spec } = JSON.parse(manifests[0].after)
    expect(spec).toMatchObject({ replicas: 3, minReadySeconds: 2 })
    expect(work.spec.workload.manifests[0].spec).toEqual(spec)
  })

  it('takes a workload for what its scripts say of its components', async () => {
    const parts = '{ { name = "head", replicas = 1 }, { name = "worker", replicas = obj.spec.replicas } }'
    await customize('StatefulSet', { componentResource: `function GetComponents(obj) return ${parts} end` })
    await deploy('StatefulSet', 'job', 2)
    const wanted = policy('StatefulSet', 'job', divided(world.member))
    const { placement } = await preview(wanted)
    expect(placement.clusters.filter(({ after }: Row) => after !== undefined)).toMatchObject([
      { cluster: world.member, after: 0 },
    ])
    const { clusters, components } = await apply(wanted, 'statefulset')
    expect(clusters).toEqual([{ name: world.member }])
    expect(components).toMatchObject([{ name: 'head' }, { name: 'worker', replicas: 2 }])
  })

  it('says why Karmada would not bind a template, where a script fails', async () => {
    await customize('DaemonSet', { replicaResource: 'function GetReplicas(obj) return "many", nil end' })
    await create('/apis/apps/v1/namespaces/default/daemonsets', {
      metadata: { name: 'agent' },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'a', image: 'a:1' }] },
        },
      },
    })
    const found = await preview(policy('DaemonSet', 'agent', divided(world.member)))
    expect(found).toMatchObject({
      claim: 'CLAIMS',
      problem: 'Karmada’s interpreter fails: result type 3 is not number',
      manifests: [],
    })
    expect(found).not.toHaveProperty('placement')
  })
})
