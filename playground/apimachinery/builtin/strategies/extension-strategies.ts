import { dns1035Label } from '../../../../manifests/name-format.js'
import { defaultCrd, validateCrd, withStoredVersion } from '../../custom/crd-validation.js'
import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.js'
import { type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { keepStatus, statusSubresource } from './status-subresource.js'

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
