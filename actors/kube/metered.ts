import type { Meter } from '../../ports/meter.js'
import type { ConnectionOptions } from './connection.js'

/** Options that make a connection count its requests. `target` names the kind of server in a word: there are few of them. */
export function metered(
  meter: Meter,
  target: 'host' | 'instance' | 'member',
): Pick<ConnectionOptions, 'observe'> {
  return {
    observe: ({ verb, code, seconds, purpose = 'work' }) => {
      meter.count('kairship_kube_requests_total', { target, verb, code: String(code), purpose })
      // A watch lasts as long as it lasts; that says nothing about how fast the API is.
      if (verb !== 'WATCH') meter.observe('kairship_kube_request_duration_seconds', seconds, { target, verb })
    },
  }
}
