import { type FieldError, forbidden, notSupported, required } from '../../field-error.js'
import { at, equal, type JsonObject, listAt, objectAt, stringAt, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { statusSubresource } from './status-subresource.js'
import { storedOnly } from './stored-strategies.js'

/** Fields of a volume's spec that are no source; any other one is. */
const VOLUME_SETTINGS: ReadonlySet<string> = new Set(
  `accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName
  volumeAttributesClassName volumeMode`.split(/\s+/),
)

export const persistentVolume: Strategy = {
  ...storedOnly,
  ...statusSubresource({ phase: 'Pending' }),
  validate: object => [
    ...(listAt(object, 'spec', 'accessModes').length === 0 ? [required('spec.accessModes')] : []),
    ...(Object.keys(objectAt(object, 'spec', 'capacity')).length === 0
      ? [required('spec.capacity'), notSupported('spec.capacity', null, ['storage'])]
      : []),
    ...(VOLUME_SETTINGS.size === new Set([...VOLUME_SETTINGS, ...Object.keys(objectAt(object, 'spec'))]).size
      ? [required('spec', 'must specify a volume type')]
      : []),
  ],
}

/**
 * The spec of a claim without the fields that may differ from its old state: its volume and its class are given once, and a bound claim
 * may ask for another size and other attributes (ValidatePersistentVolumeClaimUpdate).
 */
function frozenClaim(claim: JsonObject, old: JsonObject): JsonObject {
  const isBound = stringAt(old, 'status', 'phase') === 'Bound'
  const free: readonly (readonly [string, ...string[]])[] = [
    ...(stringAt(old, 'spec', 'volumeName') === '' ? [['volumeName'] as const] : []),
    ...(at(old, 'spec', 'storageClassName') === undefined ? [['storageClassName'] as const] : []),
    ...(isBound
      ? [['resources', 'requests', 'storage'] as const, ['volumeAttributesClassName'] as const]
      : []),
  ]
  return free.reduce<JsonObject>((rest, path) => withAt(rest, path, undefined), objectAt(claim, 'spec'))
}

export const persistentVolumeClaim: Strategy = {
  ...storedOnly,
  ...statusSubresource({ phase: 'Pending' }),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const errors: FieldError[] = []
    if (listAt(spec, 'accessModes').length === 0) {
      errors.push(required('spec.accessModes', 'at least 1 access mode is required'))
    }
    if (at(spec, 'resources', 'requests', 'storage') === undefined) {
      errors.push(required('spec.resources[storage]'))
    }
    if (old && !equal(frozenClaim(object, old), frozenClaim(old, old))) {
      errors.push(
        forbidden(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      )
    }
    return errors
  },
}

const storageForbidden = (field: string): FieldError =>
  forbidden(
    field,
    field === 'provisioner' ? 'updates to provisioner are forbidden.' : `updates to ${field} are forbidden.`,
  )

export const storageClass: Strategy = {
  ...storedOnly,
  validate: (object, old) => {
    const errors = stringAt(object, 'provisioner') === '' ? [required('provisioner')] : []
    if (!old) return errors
    const changed = ['parameters', 'provisioner', 'reclaimPolicy'].filter(
      key => !equal(object[key], old[key]),
    )
    return [...errors, ...changed.map(storageForbidden)]
  },
}
