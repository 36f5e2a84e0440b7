import { type PolicyRule, ruleAllows } from '../../../karmada/rbac/policy-rule.js'
import type { RbacBinding, RbacObjects } from '../../../karmada/rbac/rbac-objects.js'
import { accountUser, type Identity, isMeant, type RbacSubject } from '../../../karmada/rbac/subject.js'
import { rulesFor } from '../../../karmada/rbac/walk.js'
import type { ServedKind } from './served-kinds.js'

/** What a subject may do with the objects of a kind in one scope, and what of it changes. */
export interface KindAccess {
  readonly kind: ServedKind
  /** Empty for types without one, and for all namespaces. */
  readonly namespace: string
  readonly gained: readonly string[]
  readonly lost: readonly string[]
  readonly kept: readonly string[]
}

/** The change of one subject's rights in a control plane. */
export interface RightsChange {
  /** Those that change first, then by group, resource and namespace. */
  readonly kinds: readonly KindAccess[]
  /** Namespaces that were left out, because there are too many. */
  readonly leftOut: number
}

/** Namespaces with rights of their own that are looked at for one subject. */
const MOST_NAMESPACES = 50

/** Somebody with nothing but what every authenticated user or account has; who is in which group is not known. */
export function identityOf({ kind, name, namespace = '' }: RbacSubject): Identity {
  if (kind === 'Group') return { user: '', groups: [name] }
  if (kind !== 'ServiceAccount') return { user: name, groups: ['system:authenticated'] }
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  return { user: accountUser(namespace, name), groups }
}

/** What one subject may do before and after. */
export function rightsChange(
  subject: RbacSubject,
  kinds: readonly ServedKind[],
  before: RbacObjects,
  after: RbacObjects,
): RightsChange {
  const identity = identityOf(subject)
  const namespaces = [
    ...new Set([...ownNamespaces(before, identity), ...ownNamespaces(after, identity)]),
  ].sort()
  const looked = namespaces.slice(0, MOST_NAMESPACES)
  const rules = (namespace: string): Rules => ({
    before: rulesFor(before, identity, namespace),
    after: rulesFor(after, identity, namespace),
  })
  const everywhere = rules('')
  const inNamespaces = looked.map(namespace => ({ namespace, rules: rules(namespace) }))
  const rows = kinds.flatMap(kind => {
    const all = verbsOf(kind, '', everywhere)
    const others = kind.namespaced
      ? inNamespaces.map(({ namespace, rules: own }) => less(verbsOf(kind, namespace, own), all))
      : []
    return [all, ...others].filter(row => row.gained.length + row.lost.length + row.kept.length > 0)
  })
  return { kinds: rows.sort(changedFirst), leftOut: namespaces.length - looked.length }
}

interface Rules {
  readonly before: readonly PolicyRule[]
  readonly after: readonly PolicyRule[]
}

/** Namespaces whose RoleBindings mean somebody; elsewhere it has what it has everywhere. */
const ownNamespaces = ({ roleBindings }: RbacObjects, identity: Identity): readonly string[] =>
  roleBindings
    .filter(binding => binding.subjects?.some(one => isMeant(one, identity, namespaceOf(binding))))
    .map(namespaceOf)

const namespaceOf = ({ metadata }: RbacBinding): string => metadata.namespace ?? ''

function verbsOf(kind: ServedKind, namespace: string, { before, after }: Rules): KindAccess {
  const [resource = '', subresource = ''] = kind.resource.split('/')
  const may = (rules: readonly PolicyRule[], verb: string) =>
    rules.some(rule =>
      ruleAllows(rule, { verb, group: kind.group, resource, subresource, namespace, name: '' }),
    )
  const [gained, lost, kept]: string[][] = [[], [], []]
  for (const verb of kind.verbs) {
    const [had, has] = [may(before, verb), may(after, verb)]
    if (had && has) kept?.push(verb)
    else if (has) gained?.push(verb)
    else if (had) lost?.push(verb)
  }
  return { kind, namespace, gained: gained ?? [], lost: lost ?? [], kept: kept ?? [] }
}

/** What holds in a namespace beside what holds everywhere. */
const less = (row: KindAccess, all: KindAccess): KindAccess => ({
  ...row,
  gained: row.gained.filter(verb => !all.gained.includes(verb)),
  lost: row.lost.filter(verb => !all.lost.includes(verb)),
  kept: row.kept.filter(verb => !all.kept.includes(verb)),
})

const isChanged = ({ gained, lost }: KindAccess): boolean => gained.length + lost.length > 0

const keyOf = ({ kind: { group, resource }, namespace }: KindAccess): string =>
  `${group} ${resource} ${namespace}`

function changedFirst(one: KindAccess, other: KindAccess): number {
  if (isChanged(one) !== isChanged(other)) return isChanged(one) ? -1 : 1
  return keyOf(one) < keyOf(other) ? -1 : 1
}
