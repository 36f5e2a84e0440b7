import { expect, it } from 'vitest'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import {
  FEDERATED_RESOURCE_QUOTAS,
  type FederatedResourceQuota,
} from '../../../karmada/objects/federated-resource-quota.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS } from '../../../karmada/objects/work.js'
import { resourcePath } from '../../../manifests/kube.js'
import { Events } from '../../../playground/karmada/propagation/events.js'
import { QuotaStatusController } from '../../../playground/karmada/quota/quota-status-controller.js'
import { QuotaSyncController } from '../../../playground/karmada/quota/quota-sync-controller.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { settledPromises, ToldPlane } from './told-plane.js'

const place = { namespace: 'shop', name: 'limit' }
const quota: FederatedResourceQuota = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: place,
  spec: { overall: { cpu: '2' }, staticAssignments: [{ clusterName: 'm1', hard: { cpu: '1' } }] },
}
const member = (name: string, labels = {}): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name, labels },
  spec: { syncMode: 'Push' },
})

/** A control plane that answers a read with the quota and a write with what was written. */
function scripted(controller: typeof QuotaStatusController | typeof QuotaSyncController): {
  readonly plane: ToldPlane
  readonly requests: KubeRequest[]
  readonly events: readonly KubeRequest[]
  readonly close: () => Promise<void>
} {
  const requests: KubeRequest[] = []
  const events: KubeRequest[] = []
  const control: KubeApi = {
    server: '',
    request: async <T>(request: KubeRequest) => {
      const isEvent = request.path.includes('/events')
      ;(isEvent ? events : requests).push(request)
      return (request.body ?? quota) as T
    },
    watch: () => {
      throw new Error('a type is watched that should be followed')
    },
    close: async () => undefined,
  }
  const plane = new ToldPlane(control)
  const recorder = new Events(control, Date.now, silent)
  const running = new controller(control, plane.observed, recorder, silent)
  plane.start()
  const close = async () => {
    await running.close()
    await recorder.close()
    plane.observed.close()
  }
  return { plane, requests, events, close }
}

it('a member that joins later is brought the ResourceQuota that was assigned to it before', async () => {
  const { plane, requests, events, close } = scripted(QuotaSyncController)
  plane.tell(FEDERATED_RESOURCE_QUOTAS, quota)
  await settledPromises()
  const { length } = events
  expect(requests).toEqual([])
  plane.tell(CLUSTERS, member('m2'))
  await settledPromises()
  expect([requests, events.length]).toEqual([[], length])
  plane.tell(CLUSTERS, member('m1'))
  await settledPromises()
  const [request, ...rest] = requests
  expect(request).toMatchObject({
    method: 'POST',
    path: resourcePath(WORKS, { namespace: 'karmada-es-m1' }),
    body: { spec: { workload: { manifests: [{ kind: 'ResourceQuota', spec: { hard: { cpu: '1' } } }] } } },
  })
  // A Cluster that changes has what it was brought.
  plane.tell(CLUSTERS, member('m1', { changed: 'yes' }))
  await settledPromises()
  expect(requests).toEqual([request, ...rest])
  await close()
})

it('a quota is not looked at again for a binding that requests what it did', async () => {
  const { plane, requests, close } = scripted(QuotaStatusController)
  const binding = (replicas: number, status: object = {}) =>
    ({
      ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
      metadata: { namespace: 'shop', name: 'web-deployment' },
      spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, replicas },
      status,
    }) as unknown as Binding
  const looksAfter = async (one: Binding) => {
    requests.length = 0
    plane.tell(BINDINGS.namespaced.type, one)
    await settledPromises()
    return requests.filter(({ method }) => method === 'GET').length
  }
  plane.tell(FEDERATED_RESOURCE_QUOTAS, quota)
  await settledPromises()
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'PUT'])
  expect(await looksAfter(binding(1))).toBe(1)
  expect(await looksAfter(binding(1, { schedulerObservedGeneration: 1 }))).toBe(0)
  expect(await looksAfter(binding(2))).toBe(1)
  await close()
})
