import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectKey, ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects, WriteOptions } from '../../../../http/objects/objects.js'
import { type Service, selectsPods } from '../../../../http/rpc/core/service.js'
import { serviceHandlers } from '../../../../http/rpc/core/service-handlers.js'
import { CLAIMS } from '../../../../karmada/matching/policies.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { ListServicesRequest_Kind, ServiceType } from '../../../../proto/gen/kairship/core_pb.js'

const labels = { app: 'web', tier: 'front' }
const call = {
  caller: {},
  signal: new AbortController().signal,
  about: () => undefined,
  answered: () => undefined,
} as unknown as Call
const place = { instance: 'north', namespace: 'a' }

/** A Deployment whose pods have both labels. */
const deployment = (metadata: object = {}) => ({
  metadata: { name: 'web', namespace: 'a', ...metadata },
  spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels } } },
})
const placement = { clusterAffinity: { clusterNames: ['m1'] } }
const policy = {
  spec: { placement: { ...placement, replicaScheduling: { replicaSchedulingType: 'Divided' } } },
}

/** An instance that has some objects, by resource and name. Lists give the filter of the request to the test. */
function instanceWith(stored: Readonly<Record<string, object>>) {
  const created: { type: string; object: KubeObject; place: Place }[] = []
  const reads: string[] = []
  let where: ((service: Service) => boolean) | undefined
  const objects = {
    get: async (_: ObjectCall, at: Place, type: ObjectType, { namespace = '', name }: ObjectKey) => {
      reads.push(`${at.instance} ${type.resource} ${namespace}/${name}`)
      const found = stored[`${type.resource} ${name}`]
      if (found) return found
      throw new StatusError({ ...bareStatus(404, `${name} not found`), reason: 'NotFound' })
    },
    create: async (
      ...[, at, type, object, { dryRun = false } = {}]: [
        ObjectCall,
        Place,
        ObjectType,
        KubeObject,
        WriteOptions?,
      ]
    ) => {
      if (!dryRun) created.push({ type: type.resource, object, place: at })
      return object
    },
    list: async (_: ObjectCall, _place: Place, _type: ObjectType, query: ListQuery<Service>) => {
      where = query.where
      return { items: [], total: 0, pagination: {} }
    },
  } as unknown as Objects
  return { objects, created, reads, handlers: serviceHandlers(objects), where: () => where }
}

const service = (selector?: object, type?: string) =>
  ({ metadata: { name: 's' }, spec: { ...(selector && { selector }), ...(type && { type }) } }) as Service

describe('a Service selects pods', () => {
  it.each([
    ['with all labels of its selector', { app: 'web' }, true],
    ['with more labels', labels, true],
    ['with another value of one label', { app: 'web', tier: 'back' }, false],
    ['without one of the labels', { app: 'web', zone: 'x' }, false],
    ['by no label when its selector is empty', {}, false],
  ])('%s', (_, selector, selects) => {
    expect(selectsPods(service(selector), labels)).toBe(selects)
  })

  it('never without a selector', () => {
    expect(selectsPods(service(), labels)).toBe(false)
  })
})

describe('a list of Services', () => {
  const list = async (world: ReturnType<typeof instanceWith>, request: object) => {
    await world.handlers.listServices({ ...place, page: 0, pageSize: 0, ...request } as never, call)
    return world.where()
  }

  it('without kind and type has no filter', async () => {
    expect(await list(instanceWith({}), { type: [ServiceType.SERVICE_TYPE_UNSPECIFIED] })).toBeUndefined()
  })

  it('of a Deployment has those that select its pods', async () => {
    const world = instanceWith({ 'deployments web': deployment() })
    const where = await list(world, { kind: ListServicesRequest_Kind.Deployment, kindName: 'web' })
    expect(world.reads).toEqual(['north deployments a/web'])
    expect([where?.(service({ app: 'web' })), where?.(service({ app: 'api' })), where?.(service())]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('of a missing Deployment has none', async () => {
    const where = await list(instanceWith({}), { kind: ListServicesRequest_Kind.Deployment, kindName: 'web' })
    expect([where?.(service({ app: 'web' })), where?.(service())]).toEqual([false, false])
  })

  it.each([
    [{ kind: ListServicesRequest_Kind.Deployment }, 'kindName'],
    [{ kindName: 'web' }, 'kind'],
  ])('with only one of kind and kindName is refused: %j', async (request, field) => {
    await expect(list(instanceWith({}), request)).rejects.toMatchObject({
      code: 3,
      details: { violations: [{ field }] },
    })
  })

  it('of types has those of one of them, and ClusterIP for a Service without a type', async () => {
    const where = await list(instanceWith({}), { type: [ServiceType.ClusterIP, ServiceType.NodePort] })
    const shown = [undefined, 'ClusterIP', 'NodePort', 'LoadBalancer'].map(type => where?.(service({}, type)))
    expect(shown).toEqual([true, true, true, false])
  })

  it('of a Deployment and a type has those that match both', async () => {
    const where = await list(instanceWith({ 'deployments web': deployment() }), {
      ...{ kind: ListServicesRequest_Kind.Deployment, kindName: 'web' },
      type: [ServiceType.NodePort],
    })
    const shown = [
      service({ app: 'web' }, 'NodePort'),
      service({ app: 'web' }),
      service({ app: 'x' }, 'NodePort'),
    ]
    expect(shown.map(one => where?.(one))).toEqual([true, false, false])
  })
})

describe('a Service for a Deployment', () => {
  const manifest = (spec: object = {}) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }], ...spec },
    })
  const claim = {
    labels: { [CLAIMS.policy.id]: 'id' },
    annotations: { [CLAIMS.policy.namespace]: 'a', [CLAIMS.policy.name]: 'p' },
  }
  const clusterClaim = {
    labels: { [CLAIMS.clusterPolicy.id]: 'id' },
    annotations: { [CLAIMS.clusterPolicy.name]: 'cp' },
  }
  const make = (world: ReturnType<typeof instanceWith>, data = manifest()) =>
    world.handlers.createWorkloadService({ ...place, kindName: 'web', data } as never, call)

  it('gets the Deployment’s selector when it has none', async () => {
    const world = instanceWith({ 'deployments web': deployment() })
    expect(await make(world)).toEqual({})
    expect(JSON.stringify(world.created)).not.toContain('tier')
    expect(world.created).toMatchObject([
      {
        type: 'services',
        place: { instance: 'north' },
        object: {
          metadata: { name: 'web', namespace: 'a' },
          spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
        },
      },
    ])
  })

  it('keeps a selector that selects the Deployment’s pods', async () => {
    const world = instanceWith({ 'deployments web': deployment() })
    await make(world, manifest({ selector: { tier: 'front' } }))
    expect(world.created).toMatchObject([{ object: { spec: { selector: { tier: 'front' } } } }])
  })

  it.each([[{ app: 'other' }], [{}]])('with the selector %j is refused, and not created', async selector => {
    const world = instanceWith({ 'deployments web': deployment() })
    await expect(make(world, manifest({ selector }))).rejects.toMatchObject({
      code: 3,
      details: { violations: [{ field: 'data.spec.selector' }] },
    })
    expect(world.created).toEqual([])
  })

  it('gets a policy with the clusters of the Deployment’s policy and without its division of replicas, before it', async () => {
    const world = instanceWith({ 'deployments web': deployment(claim), 'propagationpolicies p': policy })
    await make(world)
    expect(world.reads).toEqual(['north deployments a/web', 'north propagationpolicies a/p'])
    expect(world.created.map(({ type }) => type)).toEqual(['propagationpolicies', 'services'])
    expect(world.created[0]?.object).toEqual({
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'PropagationPolicy',
      metadata: { name: expect.stringMatching(/^web-/), namespace: 'a' },
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'web' }],
        placement,
      },
    })
  })

  it('gets such a policy also from a ClusterPropagationPolicy', async () => {
    const world = instanceWith({
      'deployments web': deployment(clusterClaim),
      'clusterpropagationpolicies cp': policy,
    })
    await make(world)
    expect(world.reads).toContain('north clusterpropagationpolicies /cp')
    expect(world.created.map(({ type }) => type)).toEqual(['propagationpolicies', 'services'])
  })

  it('of a missing Deployment, or with a missing policy, is not created', async () => {
    const [none, unplaced] = [instanceWith({}), instanceWith({ 'deployments web': deployment(claim) })]
    await expect(make(none)).rejects.toThrow('web not found')
    await expect(make(unplaced)).rejects.toThrow('p not found')
    expect([...none.created, ...unplaced.created]).toEqual([])
  })
})
