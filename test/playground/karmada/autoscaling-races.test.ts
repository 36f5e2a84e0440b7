import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { RETAIN_REPLICAS } from '../../../karmada/interpreter/retain.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { CLAIMS } from '../../../karmada/matching/policies.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { DeploymentReplicasSyncer } from '../../../playground/karmada/autoscaling/deployment-replicas-syncer.js'
import { HpaScaleTargetMarker } from '../../../playground/karmada/autoscaling/hpa-scale-target-marker.js'
import { ResourceTypes } from '../../../playground/karmada/propagation/resource-types.js'
import { DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '../../../playground/objects/core-types.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { PATIENCE_MS } from '../../patience.js'
import { silent } from '../../silent.js'
import { deployment } from './propagation-world.js'
import { settledPromises, ToldPlane } from './told-plane.js'

const place = { namespace: 'default', name: 'web' }
const path = resourcePath(DEPLOYMENTS, place)
const { label, value } = RETAIN_REPLICAS

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'races' })
})
afterAll(() => server.close())
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(async () => {
  vi.useRealTimers()
  await remove(server.local, DEPLOYMENTS, place)
})

/** The server, with something to be done before a request is sent to it. */
const withBefore = (before: (request: KubeRequest) => Promise<void>): KubeApi => ({
  ...server.local,
  request: async <T>(request: KubeRequest) => {
    await before(request)
    return server.local.request<T>(request)
  },
})

/** Without timers, which the test has in its hand. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`gave up waiting for ${holds}`)
    await settledPromises()
  }
}
const template = () => read<Resource>(server.local, DEPLOYMENTS, place)

describe('the syncer of a Deployment’s replicas', () => {
  const binding = {
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { namespace: 'default', name: 'web-deployment', generation: 1 },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', ...place },
      replicas: 2,
      clusters: [{ name: 'm1', replicas: 2 }],
      placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
    },
    status: {
      schedulerObservedGeneration: 1,
      aggregatedStatus: [{ clusterName: 'm1', status: { replicas: 5 } }],
    },
  } as unknown as Binding
  /** With two replicas, and a status in which members have five. */
  const scaled = async () => {
    const { metadata, ...rest } = deployment('web', 2) as Resource
    await ensure(server.local, DEPLOYMENTS, {
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, [label]: value } },
    })
    await update<Resource>(server.local, DEPLOYMENTS, { ...place, subresource: 'status' }, one => ({
      ...one,
      status: { ...(one.status as object), replicas: 5 },
    }))
  }
  const replicas = async () => (await template())?.spec?.replicas

  it('writes nothing into a template that was changed since it was judged, and judges it anew', async () => {
    await scaled()
    let reads = 0
    const control = withBefore(async ({ method }) => {
      if (method !== 'GET' || ++reads !== 2) return
      const metadata = { annotations: { changed: 'meanwhile' } }
      await server.local.request({
        ...{ method: 'PATCH', path, body: { metadata }, contentType: 'application/merge-patch+json' },
      })
    })
    const plane = new ToldPlane(control)
    const syncer = new DeploymentReplicasSyncer(control, plane.observed, silent)
    plane.start()
    plane.tell(BINDINGS.namespaced.type, binding)
    await until(() => vi.getTimerCount() > 0)
    expect(reads).toBe(2)
    expect(await replicas()).toBe(2)
    // No change of the binding says that the template may be written now.
    await vi.advanceTimersByTimeAsync(1_000)
    await until(() => vi.getTimerCount() > 0)
    expect(await replicas()).toBe(5)
    await syncer.close()
    plane.observed.close()
  })
})

describe('the marker of what autoscalers scale', () => {
  const autoscaler: KubeObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { namespace: 'default', name: 'web', labels: { [CLAIMS.policy.id]: 'some' } },
    ...{
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 5 },
    },
  }
  const marking = (control: KubeApi) => {
    const plane = new ToldPlane(control)
    const warned: unknown[] = []
    const log: Log = { ...silent, warn: context => warned.push(context) }
    const { observed } = plane
    const marker = new HpaScaleTargetMarker({ control, observed, types: new ResourceTypes(control), log })
    plane.start()
    return {
      plane,
      warned,
      close: async () => {
        await marker.close()
        observed.close()
      },
    }
  }
  const isMarked = async () => (await template())?.metadata.labels?.[label] === value

  it('does not ask again for a workload that is not there', async () => {
    let reads = 0
    const { plane, warned, close } = marking(
      withBefore(async request => {
        if (request.path === path) reads++
      }),
    )
    plane.tell(HORIZONTAL_POD_AUTOSCALERS, autoscaler)
    await until(() => reads === 1)
    // The next one is read when the first has been answered.
    plane.tell(HORIZONTAL_POD_AUTOSCALERS, {
      ...autoscaler,
      metadata: { ...autoscaler.metadata, name: 'other' },
    })
    await until(() => reads === 2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([reads, warned]).toEqual([2, []])
    await close()
  })

  it('tries again what failed for another reason', async () => {
    await ensure(server.local, DEPLOYMENTS, deployment('web', 2))
    const failure = { code: 500, message: 'not now', reason: 'InternalError' }
    let attempts = 0
    const { plane, warned, close } = marking(
      withBefore(async ({ method }) => {
        if (method === 'PATCH' && ++attempts === 1)
          throw new StatusError({
            apiVersion: 'v1',
            kind: 'Status',
            metadata: {},
            status: 'Failure',
            ...failure,
          })
      }),
    )
    plane.tell(HORIZONTAL_POD_AUTOSCALERS, autoscaler)
    await until(() => vi.getTimerCount() > 0)
    expect([await isMarked(), warned.length]).toEqual([false, 1])
    await vi.advanceTimersByTimeAsync(200)
    await until(isMarked)
    await close()
  })

  it('unmarks a workload whose autoscaler goes while it is being marked', async () => {
    await ensure(server.local, DEPLOYMENTS, deployment('web', 2))
    let release = (): void => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const patches: unknown[] = []
    const { plane, close } = marking(
      withBefore(async ({ method, body }) => {
        if (method === 'PATCH' && patches.push(body) === 1) await held
      }),
    )
    plane.tell(HORIZONTAL_POD_AUTOSCALERS, autoscaler)
    await until(() => patches.length === 1)
    plane.tellGone(HORIZONTAL_POD_AUTOSCALERS, autoscaler)
    release()
    await until(() => patches.length === 2)
    await until(async () => !(await isMarked()))
    await close()
    expect(patches.map(body => (body as KubeObject).metadata.labels?.[label])).toEqual([value, null])
  })
})
