import { type Resource, typeOf } from './workload.js'

interface Observed {
  readonly generation: number
  readonly spec: { readonly replicas?: number; readonly type?: string }
  readonly status: Counts & {
    readonly observedGeneration?: number
    readonly phase?: string
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[]
    }
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

interface Counts {
  readonly updatedReplicas?: number
  readonly availableReplicas?: number
  readonly updatedNumberScheduled?: number
  readonly desiredNumberScheduled?: number
  readonly numberAvailable?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
}

const isObserved = ({ generation, status }: Observed): boolean =>
  (status.observedGeneration ?? 0) === generation

const isRolledOut = (observed: Observed): boolean => {
  const { spec, status } = observed
  const { updatedReplicas = 0, availableReplicas = 0 } = status
  return (
    isObserved(observed) && updatedReplicas >= (spec.replicas ?? 0) && availableReplicas >= updatedReplicas
  )
}

const hasAddress = ({ status }: Observed): boolean =>
  (status.loadBalancer?.ingress ?? []).some(({ hostname, ip }) => Boolean(hostname || ip))

const checks: Readonly<Record<string, (observed: Observed) => boolean>> = {
  'apps/v1 Deployment': isRolledOut,
  'apps/v1 StatefulSet': isRolledOut,
  'apps/v1 ReplicaSet': observed =>
    isObserved(observed) && (observed.status.availableReplicas ?? 0) >= (observed.spec.replicas ?? 0),
  'apps/v1 DaemonSet': observed => {
    const { updatedNumberScheduled = 0, desiredNumberScheduled = 0, numberAvailable = 0 } = observed.status
    return (
      isObserved(observed) &&
      updatedNumberScheduled >= desiredNumberScheduled &&
      numberAvailable >= updatedNumberScheduled
    )
  },
  'v1 Service': observed => observed.spec.type !== 'LoadBalancer' || hasAddress(observed),
  'networking.k8s.io/v1 Ingress': hasAddress,
  'v1 PersistentVolumeClaim': ({ status }) => status.phase === 'Bound',
  'v1 Pod': ({ status: { phase, conditions = [] } }) => {
    const ready = conditions.find(({ type }) => type === 'Ready')
    return phase === 'Succeeded' || (phase === 'Running' && ready?.status === 'True')
  },
  'policy/v1 PodDisruptionBudget': ({ status: { currentHealthy = 0, desiredHealthy = 0 } }) =>
    currentHealthy >= desiredHealthy,
}

/** Whether Karmada can tell of a kind whether its objects are healthy. */
export const knowsHealth = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) =>
  `${apiVersion} ${kind}` in checks

/** Whether a member's object is healthy; undefined for kinds of which Karmada does not know (`InterpretHealth`). */
export function isHealthy(resource: Resource): boolean | undefined {
  const check = checks[typeOf(resource)]
  const { metadata, spec = {}, status = {} } = resource
  return check?.({ generation: metadata.generation ?? 0, spec, status } as Observed)
}
