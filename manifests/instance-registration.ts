import { type Instance, KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { Condition, KubeObject } from './kube.js'
import { labelsOf, ownedBy } from './names.js'
import { type Verdict, verdictOf } from './verdict.js'

/** `instanceregistrations.kairship.io/v1alpha1`, cluster-scoped. */
export const INSTANCE_REGISTRATIONS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'instanceregistrations',
} as const

/** Makes an instance known to Global Management. Kairship writes the spec, Global Management answers in the status. */
export interface InstanceRegistration extends KubeObject {
  readonly apiVersion: 'kairship.io/v1alpha1'
  readonly kind: 'InstanceRegistration'
  readonly spec: {
    readonly resourceType: 'instance'
    /** The Instance's name. */
    readonly resourceName: string
    /** Its alias, or its name. */
    readonly displayName: string
    /** Where a person finds it. */
    readonly url?: string
  }
  readonly status?: {
    /** `Registered` is the one Kairship waits for. */
    readonly conditions?: readonly Condition[]
  }
}

/** The registration of an instance bears the instance's name. */
export const renderRegistration = (instance: Instance): InstanceRegistration => {
  const { name } = instance.metadata
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRegistration',
    metadata: { name, labels: labelsOf(name), ...ownedBy(instance) },
    spec: { resourceType: 'instance', resourceName: name, displayName: instance.spec.alias || name },
  }
}

/** What Global Management says of it; undefined until it speaks. */
export const registrationVerdict = ({ status }: InstanceRegistration): Verdict | undefined =>
  verdictOf(status?.conditions, 'Registered')
