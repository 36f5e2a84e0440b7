import type { KubeObject, OwnerReference } from './kube.js'

/** The name under which Kairship's writes appear in managedFields. */
export const FIELD_MANAGER = 'kairship'

/** Says that Kairship made an object. */
const MANAGED_BY = 'app.kubernetes.io/managed-by'
/** Says for which instance. */
export const INSTANCE_LABEL = 'kairship.io/instance'
/** Says which role binding a piece of RBAC inside an instance came from. */
export const ROLE_BINDING_LABEL = 'kairship.io/role-binding'

/** The labels of everything that Kairship makes for an instance. */
export const labelsOf = (instance: string): Readonly<Record<string, string>> => ({
  [MANAGED_BY]: 'kairship',
  [INSTANCE_LABEL]: instance,
})

/**
 * Lets Kubernetes remove an object once its Instance is gone: for what must not outlive it, also when it is created late. Nothing
 * that people may want to keep carries it.
 */
export const ownedBy = ({
  apiVersion,
  kind,
  metadata: { name, uid },
}: KubeObject): { readonly ownerReferences?: readonly OwnerReference[] } =>
  uid === undefined ? {} : { ownerReferences: [{ apiVersion, kind, name, uid }] }

/** Whether Kairship made this object for this instance; an object without the label is not ours. */
export const isMadeFor = (
  { metadata }: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } },
  instance: string,
): boolean => metadata.labels?.[MANAGED_BY] === 'kairship' && metadata.labels[INSTANCE_LABEL] === instance
