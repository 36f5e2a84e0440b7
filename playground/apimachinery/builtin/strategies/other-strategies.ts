import { dns1035Label, pathSegmentName } from '../../../../manifests/name-format.js'
import { defaultCrd, validateCrd, withStoredVersion } from '../../custom/crd-validation.js'
import {
  child,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.js'
import { at, equal, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { notNegative } from './selector-rules.js'
import { fill, keepStatus, mapAt, statusSubresource } from './status-subresource.js'

const PLAIN = { allowsUnconditionalUpdate: true, withoutGeneration: true } as const
const RBAC = 'rbac.authorization.k8s.io'
const RBAC_STRATEGY = { ...PLAIN, allowsCreateOnUpdate: true, nameFormat: pathSegmentName } as const

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

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix']

export const ingress: Strategy = {
  ...statusSubresource({ loadBalancer: {} }),
  allowsUnconditionalUpdate: true,
  validate: object => {
    const spec = objectAt(object, 'spec')
    const rules = listAt(spec, 'rules')
    if (rules.length === 0 && spec.defaultBackend === undefined) {
      return [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
    }
    return rules.flatMap((rule, at) =>
      listAt(rule, 'http', 'paths').flatMap((path, number) =>
        ingressPathErrors(path, index(`${index('spec.rules', at)}.http.paths`, number)),
      ),
    )
  },
}

function ingressPathErrors(path: Json, field: string): FieldError[] {
  const type = stringAt(path, 'pathType')
  const value = stringAt(path, 'path')
  if (type === '') return [required(child(field, 'pathType'), 'pathType must be specified')]
  if (!PATH_TYPES.includes(type)) return [notSupported(child(field, 'pathType'), type, PATH_TYPES)]
  if (type !== 'ImplementationSpecific' && !value.startsWith('/')) {
    return [invalid(child(field, 'path'), value, 'must be an absolute path')]
  }
  return stringAt(path, 'backend', 'service', 'name') === '' && at(path, 'backend', 'resource') === undefined
    ? [required(child(field, 'backend'), 'cannot set both resource and service backends')]
    : []
}

export const ingressClass: Strategy = {
  allowsUnconditionalUpdate: true,
  validate: (object, old) => {
    const controller = stringAt(object, 'spec', 'controller')
    if (controller === '') return [required('spec.controller')]
    return old && controller !== stringAt(old, 'spec', 'controller')
      ? [invalid('spec.controller', controller, 'field is immutable')]
      : []
  },
}

export const networkPolicy: Strategy = {
  allowsUnconditionalUpdate: true,
  defaults: object =>
    mapAt(object, ['spec'], spec =>
      fill(spec, { policyTypes: listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] }),
    ),
}

const filledItems = (object: JsonObject, key: string, defaults: JsonObject): JsonObject => {
  const items = listAt(object, key)
  return items.length === 0
    ? object
    : { ...object, [key]: items.map(item => (isObject(item) ? fill(item, defaults) : item)) }
}

export const endpointSlice: Strategy = {
  allowsUnconditionalUpdate: true,
  defaults: object =>
    filledItems(filledItems(object, 'endpoints', { conditions: {} }), 'ports', { name: '', protocol: 'TCP' }),
  validate: (object, old) => {
    const type = stringAt(object, 'addressType')
    if (type === '') return [required('addressType')]
    return old && type !== old.addressType ? [invalid('addressType', type, 'field is immutable')] : []
  },
}

const storageForbidden = (field: string): FieldError =>
  forbidden(
    field,
    field === 'provisioner' ? 'updates to provisioner are forbidden.' : `updates to ${field} are forbidden.`,
  )

export const storageClass: Strategy = {
  ...PLAIN,
  validate: (object, old) => {
    const errors = stringAt(object, 'provisioner') === '' ? [required('provisioner')] : []
    if (!old) return errors
    const changed = ['parameters', 'provisioner', 'reclaimPolicy'].filter(
      key => !equal(object[key], old[key]),
    )
    return [...errors, ...changed.map(storageForbidden)]
  },
}

export const priorityClass: Strategy = {
  allowsUnconditionalUpdate: true,
  // Its value is in the object itself, not in a spec.
  defaults: object => fill(object, { value: 0 }),
  validate: (object, old) =>
    old && object.value !== old.value ? [forbidden('value', 'may not be changed in an update.')] : [],
}

export const signingRequest: Strategy = {
  ...PLAIN,
  ...statusSubresource({}),
  // A review cannot change after it was created.
  prepareForUpdate: (object, old) => ({ ...keepStatus(object, old), spec: objectAt(old, 'spec') }),
  validate: object => [
    ...(stringAt(object, 'spec', 'request') === '' ? [required('spec.request')] : []),
    ...(stringAt(object, 'spec', 'signerName') === '' ? [required('spec.signerName')] : []),
    ...(listAt(object, 'spec', 'usages').length === 0 ? [required('spec.usages')] : []),
    ...notNegative('spec', objectAt(object, 'spec'), 'expirationSeconds'),
  ],
}

export const customResourceDefinition: Strategy = {
  defaults: defaultCrd,
  prepareForCreate: object => withStoredVersion({ ...object, status: emptyCrdStatus() }),
  prepareForUpdate: (object, old) => withStoredVersion(keepStatus(object, old)),
  validate: validateCrd,
}
const emptyCrdStatus = (): JsonObject => ({
  acceptedNames: { kind: '', plural: '' },
  conditions: [],
  storedVersions: [],
})

export const apiService: Strategy = {
  ...statusSubresource({}),
  withoutGeneration: true,
  validate: object => {
    const spec = objectAt(object, 'spec')
    const [group, version] = [stringAt(spec, 'group'), stringAt(spec, 'version')]
    const [name, expected] = [stringAt(object, 'metadata', 'name'), `${version}.${group}`]
    const errors: FieldError[] = []
    if (name !== expected) {
      const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`
      errors.push(invalid('metadata.name', name, detail))
    }
    if (group === '' && version !== 'v1') {
      errors.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'))
    }
    errors.push(...dns1035Label(version).map(complaint => invalid('spec.version', version, complaint)))
    errors.push(...priorityErrors('spec.groupPriorityMinimum', spec.groupPriorityMinimum, 20_000))
    errors.push(...priorityErrors('spec.versionPriority', spec.versionPriority, 1000))
    return errors
  },
}

function priorityErrors(field: string, value: Json | undefined, below: number): FieldError[] {
  const number = typeof value === 'number' ? value : 0
  return number > 0 && number <= below
    ? []
    : [invalid(field, number, `must be positive and less than ${below}`)]
}

const SIDE_EFFECTS = ['None', 'NoneOnDryRun']

export const webhookConfiguration: Strategy = {
  validate: object =>
    listAt(object, 'webhooks').flatMap((webhook, at) => {
      const path = index('webhooks', at)
      const name = stringAt(webhook, 'name')
      const effects = stringAt(webhook, 'sideEffects')
      const errors: FieldError[] = []
      if (name === '') errors.push(required(child(path, 'name')))
      else if (name.split('.').length < 3) {
        errors.push(
          invalid(
            child(path, 'name'),
            name,
            'should be a domain with at least three segments separated by dots',
          ),
        )
      }
      if (effects === '')
        errors.push(required(child(path, 'sideEffects'), `must specify one of ${SIDE_EFFECTS.join(', ')}`))
      else if (!SIDE_EFFECTS.includes(effects)) {
        errors.push(notSupported(child(path, 'sideEffects'), effects, SIDE_EFFECTS))
      }
      if (listAt(webhook, 'admissionReviewVersions').length === 0) {
        errors.push(required(child(path, 'admissionReviewVersions'), 'must specify one of v1, v1beta1'))
      }
      return errors
    }),
}

export const storedOnly: Strategy = { ...PLAIN }
export const storedWithGeneration: Strategy = { allowsUnconditionalUpdate: true }
export const storedWithStatus: Strategy = { ...PLAIN, ...statusSubresource({}) }
