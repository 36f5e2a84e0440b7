/** An object of an API server. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** The fields of an object's metadata that are read. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  readonly [field: string]: unknown
}

/** A type of objects and its place in the API. */
export interface ObjectType {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** The plural name, such as `deployments`. */
  readonly resource: string
  readonly kind: string
  readonly isNamespaced: boolean
}

/** The address of an object of an instance. */
export interface ObjectAddress {
  readonly type: ObjectType
  /** Empty for types without one. */
  readonly namespace: string
  readonly name: string
}

/** The namespace whose rights apply to an object. RBAC treats a Namespace as an object of itself. */
export const ownNamespaceOf = ({
  type,
  namespace,
  name,
}: {
  readonly type: Pick<ObjectType, 'group' | 'resource'>
  readonly namespace: string
  readonly name: string
}): string => (type.group === '' && type.resource === 'namespaces' ? name : namespace)

export const apiVersionOf = ({ group, version }: Pick<ObjectType, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/')
  return second === undefined ? { group: '', version: first } : { group: first, version: second }
}

/** The path of a group's version: `/api/v1`, `/apis/apps/v1`. */
export const groupVersionPath = ({ group, version }: Pick<ObjectType, 'group' | 'version'>): string =>
  group === ''
    ? `/api/${encodeURIComponent(version)}`
    : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`

/** The path of a collection in a namespace, or in all namespaces where it is empty. */
export const collectionPath = (type: ObjectType, namespace: string): string =>
  `${groupVersionPath(type)}${type.isNamespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${encodeURIComponent(type.resource)}`

export const objectPath = ({ type, namespace, name }: ObjectAddress): string =>
  `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`
