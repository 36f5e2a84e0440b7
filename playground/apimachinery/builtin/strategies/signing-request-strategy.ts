import { required } from '../../field-error.js'
import { listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { notNegative } from './selector-rules.js'
import { keepStatus, statusSubresource } from './status-subresource.js'
import { storedOnly } from './stored-strategies.js'

export const signingRequest: Strategy = {
  ...storedOnly,
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
