import { type MonoTypeOperatorFunction, Observable } from 'rxjs'
import { isExpired, StatusError } from '../../manifests/status-error.js'
import { UnreachableError } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'
import type { Seen } from '../../streams/seen.js'

/** Counts what befalls a watch: each interruption by its reason, and each list after the first. */
export const meteredWatch =
  <T>(meter: Meter, resource: string): MonoTypeOperatorFunction<Seen<T>> =>
  source =>
    new Observable(subscriber => {
      let lists = 0
      return source.subscribe({
        next: seen => {
          if (seen.type === 'interrupted')
            meter.count('kairship_watch_restarts_total', { resource, reason: reasonOf(seen.error) })
          if (seen.type === 'restarted' && ++lists > 1) meter.count('kairship_relists_total', { resource })
          subscriber.next(seen)
        },
        error: error => subscriber.error(error),
        complete: () => subscriber.complete(),
      })
    })

/** Few words, for a label: the server forgot, said no, could not be reached, or closed early. */
function reasonOf(error: Error): 'expired' | 'refused' | 'unreachable' | 'ended' {
  if (isExpired(error)) return 'expired'
  if (error instanceof StatusError) return 'refused'
  return error instanceof UnreachableError ? 'unreachable' : 'ended'
}
