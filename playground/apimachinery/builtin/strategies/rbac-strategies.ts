import { pathSegmentName } from '../../../../manifests/name-format.js'
import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.js'
import { at, equal, isObject, type Json, listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { fill } from './status-subresource.js'
import { storedOnly } from './stored-strategies.js'

const RBAC = 'rbac.authorization.k8s.io'
const RBAC_STRATEGY = { ...storedOnly, allowsCreateOnUpdate: true, nameFormat: pathSegmentName } as const

function ruleErrors(rule: Json, path: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = []
  const has = (key: string) => listAt(rule, key).length > 0
  if (!has('verbs')) errors.push(required(child(path, 'verbs'), 'verbs must contain at least one value'))
  if (has('nonResourceURLs')) {
    if (namespaced) {
      errors.push(
        invalid(
          child(path, 'nonResourceURLs'),
          at(rule, 'nonResourceURLs'),
          'namespaced rules cannot apply to non-resource URLs',
        ),
      )
    }
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      errors.push(
        invalid(
          child(path, 'nonResourceURLs'),
          at(rule, 'nonResourceURLs'),
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      )
    }
    return errors
  }
  if (!has('apiGroups'))
    errors.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'))
  if (!has('resources'))
    errors.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'))
  return errors
}

const roleOf = (namespaced: boolean): Strategy => ({
  ...RBAC_STRATEGY,
  defaults: object => fill(object, { rules: null }),
  validate: object =>
    listAt(object, 'rules').flatMap((rule, at) => ruleErrors(rule, index('rules', at), namespaced)),
})
export const role = roleOf(true)
export const clusterRole = roleOf(false)

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

function subjectDefaults(subject: Json): Json {
  if (!isObject(subject)) return subject
  return subject.kind === 'User' || subject.kind === 'Group' ? fill(subject, { apiGroup: RBAC }) : subject
}

function subjectErrors(subject: Json, path: string, namespaced: boolean): FieldError[] {
  const kind = stringAt(subject, 'kind')
  const errors: FieldError[] = []
  if (stringAt(subject, 'name') === '') errors.push(required(child(path, 'name')))
  if (!SUBJECT_KINDS.includes(kind)) errors.push(notSupported(child(path, 'kind'), kind, SUBJECT_KINDS))
  else if (kind === 'ServiceAccount' && !namespaced && stringAt(subject, 'namespace') === '')
    errors.push(required(child(path, 'namespace')))
  return errors
}

const bindingOf = (namespaced: boolean, roleKinds: readonly string[]): Strategy => ({
  ...RBAC_STRATEGY,
  defaults: object => {
    const referenced = { ...object, roleRef: fill(objectAt(object, 'roleRef'), { apiGroup: RBAC }) }
    const subjects = listAt(object, 'subjects')
    return subjects.length === 0 ? referenced : { ...referenced, subjects: subjects.map(subjectDefaults) }
  },
  validate: (object, old) => {
    const { roleRef } = object
    const kind = stringAt(roleRef, 'kind')
    const group = stringAt(roleRef, 'apiGroup')
    return [
      ...(group === RBAC ? [] : [notSupported('roleRef.apiGroup', group, [RBAC])]),
      ...(roleKinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, roleKinds)]),
      ...(stringAt(roleRef, 'name') === '' ? [required('roleRef.name')] : []),
      ...listAt(object, 'subjects').flatMap((subject, at) =>
        subjectErrors(subject, index('subjects', at), namespaced),
      ),
      ...(old && !equal(roleRef, old.roleRef)
        ? [invalid('roleRef', roleRef ?? null, 'cannot change roleRef')]
        : []),
    ]
  },
})
export const roleBinding = bindingOf(true, ['Role', 'ClusterRole'])
export const clusterRoleBinding = bindingOf(false, ['ClusterRole'])
