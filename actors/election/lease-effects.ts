import { type AnyEventObject, fromCallback } from 'xstate'
import { type LeaseEvent, latest } from '../../machines/lease-terms.js'
import { resourcePath } from '../../manifests/kube.js'
import { claimed, LEASES, type Lease, leaseHolder, released } from '../../manifests/lease.js'
import { isAlreadyExists, isConflict, isNotFound } from '../../manifests/status-error.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { ObjectStore } from '../../streams/object-store.js'
import { reflectInto } from '../../streams/reflect.js'
import { meteredWatch } from '../watches/metered-watch.js'
import { type Moments, within } from './lease-clock.js'
import type { LeaseOptions } from './lease-options.js'

/** How often giving the lease back is tried against other writers of the same object. */
const RETURN_TRIES = 3

/** The effects of the chart, carried out over the API. */
export function leaseEffects(options: Required<LeaseOptions> & { readonly moments: Moments }) {
  const { api, namespace, name, identity, durations, clock, moments, drain, log, meter } = options
  const path = resourcePath(LEASES, { namespace, name })
  // Half the deadline: one lost answer leaves time for another try.
  const timeoutMs = durations.renewDeadlineMs / 2

  // Short pauses: it is one small watch, and a replica that sees late that the lease was given back takes over late.
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
      return { type: 'lease.unanswered', error: error as Error, ...moments.read() }
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
            ...moments.read(),
          })
        })
      return () => following.unsubscribe()
    }),

    'read the lease': requesting<undefined>(
      async (_, signal) =>
        answered('read', { type: 'lease.read', lease: await get(signal), ...moments.read() }),
      unanswered('read'),
    ),

    'write the lease': requesting<{ readonly lease: Lease | 'absent' }>(async ({ lease }, signal) => {
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
        return answered('write', { type: 'lease.written', lease: written, ...moments.read() })
      } catch (error) {
        // Not found: the lease was deleted since it was seen, and has to be read again, too. (When it is being created,
        // the namespace is missing.)
        const overtaken =
          isConflict(error) || isAlreadyExists(error) || (isNotFound(error) && lease !== 'absent')
        if (!overtaken) throw error
        return answered('write', { type: 'lease.contested', ...moments.read() })
      }
    }, unanswered('write')),

    'give the lease back': requesting<{ readonly actUntil: number }>(
      async ({ actUntil }, signal) => {
        await Promise.resolve() // this starts within the transition; effects are aborted when that is complete
        if (await within(clock, actUntil - latest(moments.read()), drain())) await giveBack(signal)
        else log.warn({}, 'effects did not stop in time; the lease is left to expire')
        return { type: 'lease.returned', ...moments.read() }
      },
      error => {
        meter.count('kairship_lease_errors_total', { operation: 'write' })
        log.warn({ err: error }, 'the lease could not be given back; it will expire')
        return { type: 'lease.returned', ...moments.read() }
      },
    ),
  }
}

/** A callback actor that sends one request and reports the answer, unless its state was left before. */
const requesting = <In>(
  request: (input: In, signal: AbortSignal) => Promise<LeaseEvent>,
  failed: (error: unknown) => LeaseEvent,
) =>
  fromCallback<AnyEventObject, In, LeaseEvent>(({ input, sendBack }) => {
    const left = new AbortController()
    // XState drops what is sent back by an actor whose state was left; a request that was ended by that is no failure.
    request(input, left.signal).then(sendBack, error => left.signal.aborted || sendBack(failed(error)))
    return () => left.abort()
  })
