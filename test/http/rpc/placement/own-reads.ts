import type { OwnReads } from '../../../../http/objects/requests/own-requests.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'

/** An instance in which Kairship itself finds nothing. */
export const NO_OWN_READS: OwnReads = {
  async get() {
    throw new StatusError({ ...bareStatus(404, 'not found'), reason: 'NotFound' })
  },
}
