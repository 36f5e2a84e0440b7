import { StatusError } from '../../../manifests/status-error.js'
import { type FieldError, failure, invalidStatus } from '../field-error.js'

/** The patch itself cannot be read: 400. */
export const badPatch = (message: string): StatusError => new StatusError(failure(400, 'BadRequest', message))

/** The patch can be read but not applied to this object: 422 in the words of the API server, which names no operation. */
export const unprocessablePatch = (cause?: unknown): StatusError =>
  new StatusError(
    {
      ...failure(422, 'Invalid', 'the server rejected our request due to an error in our request'),
      details: {},
    },
    { cause },
  )

/** The patched document is no longer an object of the kind: 422 on the pseudo-field `patch`. */
export const invalidPatchResult = (error: FieldError): StatusError =>
  new StatusError(invalidStatus({ group: '', kind: '' }, '', [error]))
