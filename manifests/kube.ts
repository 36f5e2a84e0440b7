/**
 * The shapes every Kubernetes object shares, in Kubernetes' own words. Only the fields Kairship reads are typed; the
 * rest of an object travels along untouched (`unknown`).
 */

/** `metadata` of an object (meta/v1 ObjectMeta). Times are RFC 3339 strings as on the wire. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly generateName?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly unknown[]
}

/** meta/v1 OwnerReference. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Any Kubernetes object. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** A list as the API server returns it. `items` of a list carry no apiVersion and kind for built-in types. */
export interface KubeList<T> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items: readonly T[]
}

/** meta/v1 Condition. `lastTransitionTime` moves only when `status` does. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

/** Names one served resource type: group ('' is the core group), version and plural. */
export interface GroupVersionResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** `{namespace, name}` of a Secret, and optionally the key within its data. */
export interface SecretReference {
  readonly namespace: string
  readonly name: string
  readonly key?: string
}

/** The API path of a resource type, a namespace's collection of it, one object, or a subresource. */
export function resourcePath(
  { group, version, resource }: GroupVersionResource,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string } = {},
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const namespace = at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : ''
  const name = at.name ? `/${encodeURIComponent(at.name)}` : ''
  const subresource = at.subresource ? `/${at.subresource}` : ''
  return `${root}${namespace}/${resource}${name}${subresource}`
}
