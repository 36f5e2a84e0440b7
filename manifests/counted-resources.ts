import { INDEX_CANARY } from './index-canary.js'
import type { GroupVersionResource, KubeObject } from './kube.js'

/** A type whose objects are counted for an instance's summary. */
export interface CountedResource {
  readonly resource: GroupVersionResource
  readonly as: 'policy' | 'template'
  /** An object of Kairship's own that people do not mean when they ask how many there are. */
  readonly except?: typeof INDEX_CANARY
  /** Whether an object is ready; only workloads can be. Read from the object's own status, as Karmada aggregates it. */
  readonly isReady?: (object: KubeObject) => boolean
}

type Numbers = Readonly<Record<string, number | undefined>>
const of = (object: KubeObject, part: 'spec' | 'status'): Numbers =>
  (object as KubeObject & Partial<Record<typeof part, Numbers>>)[part] ?? {}

/** All desired replicas are ready, as `kubectl get` counts them. */
const replicasReady = (object: KubeObject): boolean =>
  (of(object, 'status').readyReplicas ?? 0) >= (of(object, 'spec').replicas ?? 1)
const scheduledReady = (object: KubeObject): boolean => {
  const { numberReady = 0, desiredNumberScheduled = 0 } = of(object, 'status')
  return numberReady >= desiredNumberScheduled
}
const completed = (object: KubeObject): boolean =>
  (of(object, 'status').succeeded ?? 0) >= (of(object, 'spec').completions ?? 1)

const template = (
  group: string,
  resource: string,
  isReady?: CountedResource['isReady'],
): CountedResource => ({
  resource: { group, version: 'v1', resource },
  as: 'template',
  ...(isReady && { isReady }),
})
const policy = (resource: string): CountedResource => ({
  resource: { group: 'policy.karmada.io', version: 'v1alpha1', resource },
  as: 'policy',
})

/** What the summary counts. */
export const COUNTED_RESOURCES: readonly CountedResource[] = [
  policy('propagationpolicies'),
  policy('clusterpropagationpolicies'),
  policy('overridepolicies'),
  policy('clusteroverridepolicies'),
  template('apps', 'deployments', replicasReady),
  template('apps', 'statefulsets', replicasReady),
  template('apps', 'daemonsets', scheduledReady),
  template('batch', 'jobs', completed),
  template('batch', 'cronjobs'),
  template('networking.k8s.io', 'ingresses'),
  template('', 'services'),
  { ...template('', 'configmaps'), except: INDEX_CANARY },
  template('', 'secrets'),
  template('', 'persistentvolumeclaims'),
  template('', 'namespaces'),
]
