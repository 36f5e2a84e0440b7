import { forbidden } from '../../field-error.js'
import type { Strategy } from '../../resource-definition.js'
import { fill } from './status-subresource.js'

export const priorityClass: Strategy = {
  allowsUnconditionalUpdate: true,
  // Its value is in the object itself, not in a spec.
  defaults: object => fill(object, { value: 0 }),
  validate: (object, old) =>
    old && object.value !== old.value ? [forbidden('value', 'may not be changed in an update.')] : [],
}
