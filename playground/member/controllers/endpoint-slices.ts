import type { KubeObject } from '../../../manifests/kube.js'
import { equal, type Json } from '../../apimachinery/json.js'
import type { Pod } from '../../objects/core.js'
import { ENDPOINT_SLICES, PODS } from '../../objects/core-types.js'
import { controllerReference, type Service } from '../workloads.js'
import { type Backend, backendsOf, endpointPorts, isSelecting, targetReference } from './endpoints.js'
import type { Change, Plan, World } from './plan.js'
import { isReady, isTerminating } from './pods.js'

/** Endpoints in one slice: Kubernetes' default. */
const MOST = 100
const MANAGER = 'endpointslice-controller.k8s.io'

interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints: readonly object[]
  readonly ports: readonly object[]
}

/** The EndpointSlice controller: the addresses of a Service's pods, a hundred in a slice. */
export function planEndpointSlices(service: Service, world: World): Plan {
  if (!isSelecting(service) || service.metadata.deletionTimestamp) return {}
  const backends = backendsOf(service, world.all<Pod>(PODS))
  const ports = endpointPorts(service, backends)
  const known = world
    .owned<EndpointSlice>(ENDPOINT_SLICES, service)
    .filter(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === MANAGER)
  const count = Math.max(1, Math.ceil(backends.length / MOST))
  const changes: Change[] = known.slice(count).map(object => ({ remove: ENDPOINT_SLICES, object }))
  for (let index = 0; index < count; index++) {
    const endpoints = backends.slice(index * MOST, (index + 1) * MOST).map(one => endpointOf(service, one))
    const present = known[index]
    if (!present) changes.push({ create: ENDPOINT_SLICES, object: sliceOf(service, endpoints, ports) })
    else if (!isSame(present, endpoints, ports))
      changes.push({ update: ENDPOINT_SLICES, object: { ...present, endpoints, ports } as KubeObject })
  }
  return { changes }
}

const isSame = (present: EndpointSlice, endpoints: readonly object[], ports: readonly object[]): boolean =>
  equal((present.endpoints ?? []) as Json, endpoints as Json) &&
  equal((present.ports ?? []) as Json, ports as Json)

function endpointOf({ spec }: Service, { pod, address, isReady: ready }: Backend): object {
  return {
    addresses: [address],
    conditions: {
      ready: spec.publishNotReadyAddresses === true || ready,
      serving: isReady(pod),
      terminating: isTerminating(pod),
    },
    ...(pod.spec?.hostname && pod.spec.subdomain && { hostname: pod.spec.hostname }),
    ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
    targetRef: targetReference(pod),
  }
}

function sliceOf(service: Service, endpoints: readonly object[], ports: readonly object[]): KubeObject {
  const { name, namespace = '', labels } = service.metadata
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: {
        ...labels,
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': MANAGER,
        ...(service.spec.clusterIP === 'None' && { 'service.kubernetes.io/headless': '' }),
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  }
  return slice as unknown as KubeObject
}
