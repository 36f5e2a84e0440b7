import type { RbacBinding, RbacObjects, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import { type RbacSubject, subjectText } from '../../../karmada/rbac/subject.js'
import type { EffectiveBinding, RoleGrant } from '../../../manifests/effective-binding.js'
import {
  type NamespacesInside,
  type RbacObject,
  renderRbac,
  withheldNamespaces,
  withholding,
} from '../../../manifests/instance-rbac.js'
import { roleRights } from '../../identity/role-rights.js'
import type { ServedKind } from './served-kinds.js'
import { type KindAccess, type RightsChange, rightsChange } from './subject-change.js'

/** Rights at Kairship to one part of the instance that change. */
export interface KairshipChange {
  readonly resource: string
  readonly gained: readonly string[]
  readonly lost: readonly string[]
}

/** What changes for one subject. */
export interface SubjectChange extends RightsChange {
  readonly subject: RbacSubject
  readonly kairship: readonly KairshipChange[]
}

/** What a control plane has. */
export interface Inside {
  readonly rbac: RbacObjects
  readonly kinds: readonly ServedKind[]
  readonly namespaces: NamespacesInside
}

/** What a change of role bindings would do. */
export interface RoleBindingPreview {
  readonly subjects: readonly SubjectChange[]
  readonly withheld: readonly string[]
}

/**
 * What changes where role bindings change from some to others. Of the control plane's RBAC what Kairship makes of the bindings is exchanged,
 * whether it is made already or not; all else stays.
 * @param proposed the binding that is new or changed; absent where one is removed
 */
export function previewRoleBindings(
  instance: string,
  { before, after }: { readonly before: readonly EffectiveBinding[]; readonly after: readonly RoleGrant[] },
  {
    subjects,
    proposed,
  }: { readonly subjects: readonly RbacSubject[]; readonly proposed?: RoleGrant | undefined },
  { rbac, kinds, namespaces }: Inside,
): RoleBindingPreview {
  const rendered = (bindings: readonly RoleGrant[]) =>
    renderRbac(instance, bindings, namespaces).map(({ object }) => object)
  const made = { before: rendered(before), after: rendered(after) }
  const without = exchanged(rbac, made.before, [])
  const [was, is] = [exchanged(without, [], made.before), exchanged(without, [], made.after)]
  return {
    subjects: subjects.map(subject => ({
      subject,
      ...rightsChange(subject, kinds, was, is),
      kairship: kairshipChange(subject, before, after),
    })),
    withheld: proposed ? withheldNamespaces(proposed, withholding(after, namespaces)) : [],
  }
}

/** RBAC without some objects, and with others in the place of those of their names. */
function exchanged(rbac: RbacObjects, gone: readonly RbacObject[], made: readonly RbacObject[]): RbacObjects {
  const replaced = new Set([...gone, ...made].map(keyOf))
  const kept = <T extends RbacBinding | RbacRole>(objects: readonly T[]) =>
    objects.filter(object => !replaced.has(keyOf(object)))
  const of = <T>(kind: string) => made.filter(object => object.kind === kind) as unknown as readonly T[]
  return {
    clusterRoles: [...kept(rbac.clusterRoles), ...of<RbacRole>('ClusterRole')],
    clusterRoleBindings: [...kept(rbac.clusterRoleBindings), ...of<RbacBinding>('ClusterRoleBinding')],
    roles: rbac.roles,
    roleBindings: [...kept(rbac.roleBindings), ...of<RbacBinding>('RoleBinding')],
  }
}

const keyOf = ({ kind, metadata: { namespace = '', name } }: RbacObject | RbacBinding | RbacRole): string =>
  `${kind} ${namespace}/${name}`

/** Rights at Kairship by the bindings that name the subject itself. */
function kairshipChange(
  subject: RbacSubject,
  before: readonly RoleGrant[],
  after: readonly RoleGrant[],
): readonly KairshipChange[] {
  const [had, has] = [kairshipRightsOf(subject, before), kairshipRightsOf(subject, after)]
  const pairs = (one: KairshipRights, other: KairshipRights) =>
    [...one].flatMap(([resource, verbs]) => {
      const more = [...verbs].filter(verb => !other.get(resource)?.has(verb))
      return more.length > 0 ? [[resource, more] as const] : []
    })
  const [gained, lost] = [new Map(pairs(has, had)), new Map(pairs(had, has))]
  return [...new Set([...gained.keys(), ...lost.keys()])]
    .sort()
    .map(resource => ({ resource, gained: gained.get(resource) ?? [], lost: lost.get(resource) ?? [] }))
}

type KairshipRights = ReadonlyMap<string, ReadonlySet<string>>

function kairshipRightsOf(subject: RbacSubject, bindings: readonly RoleGrant[]): KairshipRights {
  const rights = new Map<string, Set<string>>()
  for (const { spec } of bindings) {
    if (!spec.subjects.some(one => isSame(one, subject))) continue
    const covers = spec.namespaces === undefined ? 'instance' : 'namespaces'
    for (const [resource, verbs] of Object.entries(roleRights(spec.role, covers)))
      rights.set(resource, new Set([...(rights.get(resource) ?? []), ...verbs]))
  }
  return rights
}

export const isSame = (one: RbacSubject, other: RbacSubject): boolean =>
  one.kind === other.kind && one.name === other.name && (one.namespace ?? '') === (other.namespace ?? '')

const READING = new Set(['get', 'list', 'watch'])

/** How many pairs of kind and scope become readable or writable, or cease to be. */
export function countsOf(kinds: readonly KindAccess[]): {
  readonly readableGained: number
  readonly writableGained: number
  readonly readableLost: number
  readonly writableLost: number
} {
  const count = (verbs: (row: KindAccess) => readonly string[], reads: boolean) =>
    kinds.filter(row => verbs(row).some(verb => READING.has(verb) === reads)).length
  return {
    readableGained: count(({ gained }) => gained, true),
    writableGained: count(({ gained }) => gained, false),
    readableLost: count(({ lost }) => lost, true),
    writableLost: count(({ lost }) => lost, false),
  }
}

/** One sentence for the whole of it. */
export function summaryOf({ subjects, withheld }: RoleBindingPreview): string {
  const said = subjects.slice(0, 5).map(({ subject, kinds }) => {
    const { readableGained, writableGained, readableLost, writableLost } = countsOf(kinds)
    const gains =
      readableGained + writableGained > 0 && `gains ${readableGained} to read and ${writableGained} to write`
    const loses =
      readableLost + writableLost > 0 && `loses ${readableLost} to read and ${writableLost} to write`
    const both = [gains, loses].filter(text => text !== false).join(' and ')
    return `${subjectText(subject)} ${both || 'keeps what it has'}`
  })
  const more = subjects.length > 5 ? `; ${subjects.length - 5} others likewise` : ''
  const less = withheld.length > 0 ? `; less in ${withheld.slice(0, 5).join(', ')}` : ''
  return `Of kinds in a namespace or in all, ${said.join('; ')}${more}${less}.`
}
