import { type AnyEventObject, fromCallback } from 'xstate'
import type { LeaseEvent } from '../machines/lease.js'
import { resourcePath } from '../manifests/kube.js'
import { claimed, LEASES, type Lease, leaseHolder, released } from '../manifests/lease.js'
import { isAlreadyExists, isConflict, isNotFound } from '../manifests/status-error.js'
import { keepWatching } from '../streams/keep-watching.js'
import { listWatch } from '../streams/list-watch.js'
import { ObjectStore } from '../streams/object-store.js'
import { reflectInto } from '../streams/reflect.js'
import type { LeaseOptions } from './lease.js'
import { within } from './lease-clock.js'
import { meteredWatch } from './metered-watch.js'

/** How often giving the lease back is tried against other writers of the same object. */
const RETURN_TRIES = 3

/** What the chart asks for, done against the API. */
export function leaseEffects(options: Required<LeaseOptions>) {
  const { api, namespace, name, identity, durations, clock, drain, log, meter } = options
  const path = resourcePath(LEASES, { namespace, name })
  // Half the deadline: one lost answer leaves time for another try.
  const timeoutMs = durations.renewDeadlineMs / 2

  // Impatient: one small watch, and whoever sees a lease given back late takes over late.
  const { retryPeriodMs, leaseDurationMs } = durations
  const backoff = { firstMs: retryPeriodMs / 4, longestMs: retryPeriodMs, quietMs: leaseDurationMs }

  const get = async (signal: AbortSignal): Promise<Lease | 'absent'> => {
    try {
      return await api.request<Lease>({ method: 'GET', path, signal, timeoutMs })
    } catch (error) {
      if (isNotFound(error)) return 'absent'
      throw error
    }
  }
  const put = (lease: Lease, signal: AbortSignal): Promise<Lease> =>
    api.request<Lease>({ method: 'PUT', path, body: lease, signal, timeoutMs })
  const create = (lease: Lease, signal: AbortSignal): Promise<Lease> =>
    api.request<Lease>({
      method: 'POST',
      path: resourcePath(LEASES, { namespace }),
      body: lease,
      signal,
      timeoutMs,
    })

  const giveBack = async (signal: AbortSignal): Promise<void> => {
    for (let tries = 0; tries < RETURN_TRIES; tries++) {
      const lease = await get(signal)
      if (lease === 'absent' || leaseHolder(lease) !== identity) return
      try {
        await put(released(lease, clock.wall()), signal)
        return
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
  }

  const silent = new Set<'read' | 'write'>()
  const answered = (operation: 'read' | 'write', event: LeaseEvent): LeaseEvent => {
    if (silent.delete(operation)) log.info({ operation }, 'the lease can be reached again')
    return event
  }
  const unanswered =
    (operation: 'read' | 'write') =>
    (error: unknown): LeaseEvent => {
      meter.count('kairship_lease_errors_total', { operation })
      if (!silent.has(operation)) log.warn({ err: error, operation }, 'the lease cannot be reached')
      silent.add(operation)
      return { type: 'lease.unanswered', error: error as Error, now: clock.now() }
    }

  return {
    'follow the lease': fromCallback<AnyEventObject, undefined, LeaseEvent>(({ sendBack }) => {
      const store = new ObjectStore<Lease>()
      const source = listWatch<Lease>(api, LEASES, { namespace, fieldSelector: `metadata.name=${name}` })
      const following = keepWatching(source, { backoff })
        .pipe(meteredWatch(meter, LEASES.resource), reflectInto(store))
        .subscribe(() => {
          if (!store.synced) return
          sendBack({
            type: 'lease.seen',
            lease: store.get(`${namespace}/${name}`) ?? 'absent',
            now: clock.now(),
          })
        })
      return () => following.unsubscribe()
    }),

    'read the lease': asking<undefined>(
      async (_, signal) =>
        answered('read', { type: 'lease.read', lease: await get(signal), now: clock.now() }),
      unanswered('read'),
    ),

    'write the lease': asking<{ readonly lease: Lease | 'absent' }>(async ({ lease }, signal) => {
      const claim = {
        namespace,
        name,
        identity,
        leaseDurationMs: durations.leaseDurationMs,
        wallClock: clock.wall(),
      }
      const next = claimed(lease, claim)
      try {
        const written = await (lease === 'absent' ? create(next, signal) : put(next, signal))
        return answered('write', { type: 'lease.written', lease: written, now: clock.now() })
      } catch (error) {
        // Not found: it was deleted since we saw it, and to look again is right for that, too. (When we create it,
        // it is the namespace that is missing.)
        const overtaken =
          isConflict(error) || isAlreadyExists(error) || (isNotFound(error) && lease !== 'absent')
        if (!overtaken) throw error
        return answered('write', { type: 'lease.contested', now: clock.now() })
      }
    }, unanswered('write')),

    'give the lease back': asking<{ readonly actUntil: number }>(
      async ({ actUntil }, signal) => {
        await Promise.resolve() // this starts within the transition; effects learn of it when that is complete
        if (await within(clock, actUntil - clock.now(), drain())) await giveBack(signal)
        else log.warn({}, 'effects did not stop in time; the lease is left to expire')
        return { type: 'lease.returned', now: clock.now() }
      },
      error => {
        meter.count('kairship_lease_errors_total', { operation: 'write' })
        log.warn({ err: error }, 'the lease could not be given back; it will expire')
        return { type: 'lease.returned', now: clock.now() }
      },
    ),
  }
}

/** A callback actor that asks one thing and reports the answer, unless its state was left before. */
const asking = <In>(
  ask: (input: In, signal: AbortSignal) => Promise<LeaseEvent>,
  failed: (error: unknown) => LeaseEvent,
) =>
  fromCallback<AnyEventObject, In, LeaseEvent>(({ input, sendBack }) => {
    const left = new AbortController()
    ask(input, left.signal).then(
      answer => left.signal.aborted || sendBack(answer),
      error => left.signal.aborted || sendBack(failed(error)),
    )
    return () => left.abort()
  })
