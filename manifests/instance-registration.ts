import { type Instance, KAIRSHIP_GROUP, KAIRSHIP_VERSION } from './instance.js'
import type { InstanceRole } from './instance-role-binding.js'
import type { Condition, KubeObject } from './kube.js'
import { labelsOf, ownedBy } from './names.js'
import { RIGHTS_OF_ROLES } from './role-rights.js'
import { type Verdict, verdictOf } from './verdict.js'

/** `instanceregistrations.kairship.io/v1alpha1`, cluster-scoped. */
export const INSTANCE_REGISTRATIONS = {
  group: KAIRSHIP_GROUP,
  version: KAIRSHIP_VERSION,
  resource: 'instanceregistrations',
} as const

/** Where a role may be given. */
export type RegisteredScope = 'instance' | 'namespace'

/** What a role includes in a scope, for the people who give it. */
export interface RegisteredRole {
  readonly role: InstanceRole
  readonly scope: RegisteredScope
  /** `verb resource` of group kairship.io, as Kairship authorizes them. What is done inside, the instance's RBAC decides. */
  readonly actions: readonly string[]
}

const SCOPES: readonly RegisteredScope[] = ['instance', 'namespace']
const ROLES: readonly InstanceRole[] = ['Viewer', 'Editor', 'Admin']

const registeredRoles: readonly RegisteredRole[] = ROLES.flatMap(role =>
  SCOPES.map(scope => {
    const parts = RIGHTS_OF_ROLES[role][scope === 'instance' ? 'onAll' : 'onSome']
    const actions = parts.flatMap(rights =>
      Object.entries(rights).flatMap(([resource, verbs]) => verbs.map(verb => `${verb} ${resource}`)),
    )
    return { role, scope, actions: [...new Set(actions)].sort() }
  }),
)

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
    /** Where a role may be given: on the whole instance, or on namespaces of it. Objects of earlier versions lack both. */
    readonly scopes?: readonly RegisteredScope[]
    /** What each role includes in each scope. */
    readonly roles?: readonly RegisteredRole[]
  }
  readonly status?: {
    /** `Registered` is the one Kairship waits for. */
    readonly conditions?: readonly Condition[]
  }
}

/**
 * The registration of an instance bears the instance's name.
 * @param console `https://host:port` of the console, where it is known
 */
export const renderRegistration = (instance: Instance, console?: string): InstanceRegistration => {
  const { name } = instance.metadata
  return {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRegistration',
    metadata: { name, labels: labelsOf(name), ...ownedBy(instance) },
    spec: {
      ...{ resourceType: 'instance', resourceName: name, displayName: instance.spec.alias || name },
      ...(console !== undefined && { url: `${console.replace(/\/$/, '')}/instances/${name}` }),
      ...{ scopes: SCOPES, roles: registeredRoles },
    },
  }
}

/** What Global Management says of it; undefined until it speaks. */
export const registrationVerdict = ({ status }: InstanceRegistration): Verdict | undefined =>
  verdictOf(status?.conditions, 'Registered')
