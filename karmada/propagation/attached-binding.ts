import { selectsLabels } from '../../manifests/label-selector.js'
import type { Dependency } from '../interpreter/dependencies.js'
import type { Resource } from '../interpreter/workload.js'
import { bindingName, bindingReferenceKey } from '../names.js'
import { BINDINGS, type Binding, type BindingSnapshot } from '../objects/resource-binding.js'
import { ownerReferenceOf, resourceReferenceOf } from '../objects/template-references.js'
import { without } from '../without.js'
import { ForeignBindingError } from './binding-of.js'

/** On a workload's binding: the objects that the workload needs, as JSON. */
const DEPENDENCIES = 'resourcebinding.karmada.io/dependencies'
/** Keeps a workload's binding until the bindings of what it needs no longer name it. */
export const DEPENDENCIES_FINALIZER = 'karmada.io/binding-dependencies-distributor'

/** A binding that another one is said to need exists no more; Karmada tries again until it does, or is no longer named. */
export class MissingReferrerError extends Error {
  override readonly name = 'MissingReferrerError'
}

/** Finds a binding by namespace and name. */
export type FindBinding = (snapshot: BindingSnapshot) => Binding | undefined

/** The label on an attached binding that names one binding that needs it; its value is that binding's permanent id. */
export const dependedByLabel = ({ metadata: { namespace = '', name } }: Binding): string =>
  `resourcebinding.karmada.io/depended-by-${bindingReferenceKey(namespace, name)}`

/** Whether a binding was attached to what another binding needs. */
export const isAttachedTo = (attached: Binding, owner: Binding): boolean =>
  attached.metadata.namespace === owner.metadata.namespace &&
  attached.metadata.labels?.[dependedByLabel(owner)] === idOf(owner)

/** Whether a dependency names an object; a name counts more than labels. */
export function isNamedBy({ apiVersion, kind, metadata }: Resource, dependency: Dependency): boolean {
  if (apiVersion !== dependency.apiVersion || kind !== dependency.kind) return false
  if ((metadata.namespace ?? '') !== (dependency.namespace ?? '')) return false
  if (dependency.name) return dependency.name === metadata.name
  return dependency.labelSelector !== undefined && selectsLabels(dependency.labelSelector, metadata.labels)
}

/** Whether a binding's workload was last seen to need an object. An annotation that cannot be read names nothing. */
export const isNeededBy = (object: Resource, binding: Binding): boolean =>
  recorded(binding).some(dependency => isNamedBy(object, dependency))

function recorded({ metadata: { annotations = {} } }: Binding): readonly Dependency[] {
  const text = annotations[DEPENDENCIES]
  if (text === undefined) return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? (list as readonly Dependency[]) : []
  } catch {
    return []
  }
}

/** The binding with a note of what its workload needs, and the finalizer; the same object when it has both. */
export function withDependencies(binding: Binding, needed: readonly Dependency[]): Binding {
  const { finalizers = [], annotations = {} } = binding.metadata
  // Go writes a list that was never filled as null.
  const text = needed.length > 0 ? JSON.stringify(needed) : 'null'
  if (annotations[DEPENDENCIES] === text && finalizers.includes(DEPENDENCIES_FINALIZER)) return binding
  return {
    ...binding,
    metadata: {
      ...binding.metadata,
      annotations: { ...annotations, [DEPENDENCIES]: text },
      finalizers: [...new Set([...finalizers, DEPENDENCIES_FINALIZER])],
    },
  }
}

/** The binding of an object that goes where the workload of another binding goes (`buildAttachedBinding` of Karmada). */
export function attachedBinding(owner: Binding, object: Resource, find: FindBinding): Binding {
  const { type, finalizer } = BINDINGS.namespaced
  const made: Binding = {
    apiVersion: `${type.group}/${type.version}`,
    kind: BINDINGS.namespaced.kind,
    metadata: {
      name: bindingName(object.kind, object.metadata.name),
      ...(owner.metadata.namespace && { namespace: owner.metadata.namespace }),
      labels: { [dependedByLabel(owner)]: idOf(owner) },
      finalizers: [finalizer],
      ownerReferences: [ownerReferenceOf(object)],
    },
    spec: {
      resource: resourceReferenceOf(object),
      requiredBy: [snapshotOf(owner)],
    },
  }
  return withStrategy(made, find)
}

/**
 * The present binding of an object, which a workload needs now. Where no policy selected the object itself, the bindings that
 * need it say what becomes of objects that are there already or are deleted.
 * @throws ForeignBindingError when it belongs to an earlier object of that name, MissingReferrerError
 */
export function attached(present: Binding, wanted: Binding, find: FindBinding): Binding {
  const owner = present.metadata.ownerReferences?.find(({ controller }) => controller)
  const { namespace = '', name } = present.metadata
  if (owner && owner.uid !== wanted.metadata.ownerReferences?.[0]?.uid)
    throw new ForeignBindingError(
      `failed to update resourceBinding(${namespace}/${name}) due to different owner reference UID, will try again later after binding is garbage collected, see https://github.com/karmada-io/karmada/issues/6034`,
    )
  const [snapshot] = wanted.spec.requiredBy ?? []
  const before = present.spec.requiredBy ?? []
  const isSame = (one: BindingSnapshot) => one.name === snapshot?.name && one.namespace === snapshot.namespace
  const isKnown = before.some(isSame)
  const requiredBy = snapshot
    ? [...before.map(one => (isSame(one) ? snapshot : one)), ...(isKnown ? [] : [snapshot])]
    : before
  return withStrategy(
    {
      ...present,
      metadata: { ...present.metadata, labels: { ...present.metadata.labels, ...wanted.metadata.labels } },
      spec: { ...present.spec, resource: wanted.spec.resource, requiredBy },
    },
    find,
  )
}

/** The binding of an object that a workload no longer needs. It stays, and keeps the clusters of others that need it. */
export function detached(present: Binding, owner: Binding, find: FindBinding): Binding {
  const { requiredBy = [], ...spec } = present.spec
  const { namespace, name } = owner.metadata
  const left = requiredBy.filter(one => one.name !== name || one.namespace !== namespace)
  const labels = without(present.metadata.labels ?? {}, [dependedByLabel(owner)])
  const metadata = { ...present.metadata, labels }
  if (left.length > 0)
    return withStrategy({ ...present, metadata, spec: { ...spec, requiredBy: left } }, find)
  if (spec.placement) return { ...present, metadata, spec }
  return {
    ...present,
    metadata,
    spec: without(spec, ['conflictResolution', 'preserveResourcesOnDeletion']),
  }
}

/** `Overwrite` counts more than `Abort`, and keeping objects more than deleting them. A policy of its own decides alone. */
function withStrategy(binding: Binding, find: FindBinding): Binding {
  if (binding.spec.placement) return binding
  const referrers = (binding.spec.requiredBy ?? []).map(snapshot => {
    const found = find(snapshot)
    if (!found)
      throw new MissingReferrerError(`resourcebindings.work.karmada.io "${snapshot.name}" not found`)
    return found.spec
  })
  const overwrites = referrers.some(({ conflictResolution }) => conflictResolution === 'Overwrite')
  return {
    ...binding,
    spec: {
      ...binding.spec,
      conflictResolution: overwrites ? 'Overwrite' : 'Abort',
      preserveResourcesOnDeletion: referrers.some(one => one.preserveResourcesOnDeletion === true),
    },
  }
}

/** What the bindings that need an object disagree about, as Karmada's event says it; empty where they agree. */
export function disagreements({ spec }: Binding, find: FindBinding): readonly string[] {
  if (spec.placement) return []
  const referrers = (spec.requiredBy ?? []).flatMap(snapshot => find(snapshot)?.spec ?? [])
  const differ = (says: (spec: Binding['spec']) => boolean) => new Set(referrers.map(says)).size > 1
  return [
    ...(differ(({ conflictResolution }) => conflictResolution === 'Overwrite')
      ? ['ConflictResolution conflicted (Overwrite vs Abort)']
      : []),
    ...(differ(({ preserveResourcesOnDeletion }) => preserveResourcesOnDeletion === true)
      ? ['PreserveResourcesOnDeletion conflicted (true vs false)']
      : []),
  ]
}

const idOf = ({ metadata }: Binding): string => metadata.labels?.[BINDINGS.namespaced.id] ?? ''

const snapshotOf = ({
  metadata: { namespace, name },
  spec: { clusters = [] },
}: Binding): BindingSnapshot => ({
  ...(namespace && { namespace }),
  name,
  ...(clusters.length > 0 && { clusters }),
})
