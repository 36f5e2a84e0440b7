import type { Pod } from '../../objects/core.js'
import type { Service, ServicePort } from '../workloads.js'
import { hasFinished, isReady, isTerminating } from './pods.js'

/** One pod behind a Service. */
export interface Backend {
  readonly pod: Pod
  readonly address: string
  readonly isReady: boolean
}

/** The pods that a Service selects and that have an address, by name. */
export function backendsOf({ metadata, spec }: Service, pods: readonly Pod[]): readonly Backend[] {
  const wanted = Object.entries(spec.selector ?? {})
  return pods
    .filter(
      pod =>
        pod.metadata.namespace === metadata.namespace &&
        wanted.every(([key, value]) => pod.metadata.labels?.[key] === value) &&
        pod.status?.podIP &&
        !hasFinished(pod),
    )
    .map(pod => ({ pod, address: pod.status?.podIP ?? '', isReady: isReady(pod) && !isTerminating(pod) }))
    .sort((one, other) => (one.pod.metadata.name < other.pod.metadata.name ? -1 : 1))
}

/** True for a Service whose endpoints a controller keeps: one that selects pods. */
export const isSelecting = ({ spec }: Service): boolean =>
  spec.type !== 'ExternalName' && spec.selector !== undefined && Object.keys(spec.selector).length > 0

/** The ports of a Service as numbers of its pods' containers; a name that no container has leads nowhere. */
export function endpointPorts({ spec }: Service, backends: readonly Backend[]) {
  return (spec.ports ?? []).flatMap(port => {
    const number = targetOf(port, backends)
    return number === undefined
      ? []
      : [
          {
            name: port.name ?? '',
            port: number,
            protocol: port.protocol ?? 'TCP',
            ...(port.appProtocol && { appProtocol: port.appProtocol }),
          },
        ]
  })
}

function targetOf(port: ServicePort, backends: readonly Backend[]): number | undefined {
  const { targetPort = port.port } = port
  if (typeof targetPort === 'number') return targetPort
  const containers = backends.flatMap(({ pod }) => pod.spec?.containers ?? [])
  return containers
    .flatMap(({ ports = [] }) => ports)
    .find(({ name, protocol = 'TCP' }) => name === targetPort && protocol === (port.protocol ?? 'TCP'))
    ?.containerPort
}

/** Who an endpoint leads to. */
export const targetReference = ({ metadata }: Pod) => ({
  kind: 'Pod',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
})
