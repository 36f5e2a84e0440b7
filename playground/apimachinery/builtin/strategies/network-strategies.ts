import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.js'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { fill, mapAt, statusSubresource } from './status-subresource.js'

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
  return backendErrors(path, child(field, 'backend'))
}

function backendErrors(path: Json, field: string): FieldError[] {
  const service = at(path, 'backend', 'service')
  const hasResource = at(path, 'backend', 'resource') !== undefined
  if (service !== undefined && hasResource)
    return [invalid(field, '', 'cannot set both resource and service backends')]
  if (hasResource) return []
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')]
  return stringAt(service, 'name') === '' ? [required(child(child(field, 'service'), 'name'))] : []
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
