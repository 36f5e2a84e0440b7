import type { KubeObject } from '../../../manifests/kube.js'
import { equal, type Json } from '../../apimachinery/json.js'
import type { Pod } from '../../objects/core.js'
import { ENDPOINTS, PODS } from '../../objects/core-types.js'
import type { Service } from '../workloads.js'
import { type Backend, backendsOf, endpointPorts, isSelecting, targetReference } from './endpoints.js'
import type { Plan, World } from './plan.js'

/** The endpoints controller: the same addresses as one Endpoints object, which older clients read. */
export function planEndpoints(service: Service, world: World): Plan {
  if (!isSelecting(service) || service.metadata.deletionTimestamp) return {}
  const { name, namespace = '', labels } = service.metadata
  const backends = backendsOf(service, world.all<Pod>(PODS))
  const ports = endpointPorts(service, backends).map(({ name: port, ...rest }) => ({
    ...(port !== '' && { name: port }),
    ...rest,
  }))
  const isPublic = (one: Backend) => service.spec.publishNotReadyAddresses === true || one.isReady
  const ready = backends.filter(isPublic).map(addressOf)
  const waiting = backends.filter(one => !isPublic(one)).map(addressOf)
  const subsets =
    backends.length === 0
      ? []
      : [
          {
            ...(ready.length > 0 && { addresses: ready }),
            ...(waiting.length > 0 && { notReadyAddresses: waiting }),
            ports,
          },
        ]
  const present = world.get<KubeObject & { readonly subsets?: Json }>(ENDPOINTS, `${namespace}/${name}`)
  if (present && equal(present.subsets ?? [], subsets as Json)) return {}
  const object: KubeObject & { readonly subsets: object } = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: present?.metadata ?? {
      namespace,
      name,
      labels: { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
    },
    subsets,
  }
  return { changes: [present ? { update: ENDPOINTS, object } : { create: ENDPOINTS, object }] }
}

/** Endpoints of a Service that is gone are deleted here: they have no owner reference. */
export function planGoneEndpoints(key: string, world: World): Plan {
  const object = world.get(ENDPOINTS, key)
  const isOurs = object?.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller'
  return object && isOurs ? { changes: [{ remove: ENDPOINTS, object }] } : {}
}

const addressOf = ({ pod, address }: Backend): object => ({
  ip: address,
  ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
  targetRef: targetReference(pod),
})
