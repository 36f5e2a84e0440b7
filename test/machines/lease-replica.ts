import { type AnyEventObject, createActor, fromCallback, type NonReducibleUnknown } from 'xstate'
import { isLeading, leaseMachine, wakeAt } from '../../machines/lease.js'
import { DEFAULT_DURATIONS, holderOf, type LeaseEvent, type LeaseInput } from '../../machines/lease-terms.js'
import { claimed, type Lease, released } from '../../manifests/lease.js'

const claim = { namespace: 'n', name: 'l', leaseDurationMs: 15_000 }
let version = 0
/** The lease as `identity` wrote it; `renewal` tells two of its writes apart. */
export const heldBy = (identity: string, renewal = 0): Lease => {
  const lease = claimed('absent', { ...claim, identity, wallClock: renewal })
  return { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++version) } }
}
export const free = () => released(heldBy('someone'), 0)

/** A replica called `me`: it is sent events, and its requests are written down. */
export function replica(input: Partial<LeaseInput> = {}) {
  const requested: string[] = []
  const writtenOver: (string | undefined)[] = []
  const record = <In extends NonReducibleUnknown>(what: string) =>
    fromCallback<AnyEventObject, In, LeaseEvent>(({ input }) => {
      const { lease } = (input ?? {}) as unknown as { lease?: Lease | 'absent' }
      if (typeof lease === 'object') writtenOver.push(lease.metadata.resourceVersion)
      requested.push(
        lease === undefined
          ? what
          : `${what} over ${holderOf(lease) ?? (lease === 'absent' ? 'absent' : 'nobody')}`,
      )
      return () => requested.push(`no more ${what}`)
    })
  const machine = leaseMachine.provide({
    actors: {
      'read the lease': record('read'),
      'write the lease': record('write'),
      'give the lease back': record('return'),
    },
  })
  const actor = createActor(machine, {
    input: { identity: 'me', contend: true, durations: DEFAULT_DURATIONS, now: 0, slept: 0, ...input },
  })
  actor.start()
  return {
    requested,
    /** The versions of the leases that it wrote over. */
    writtenOver,
    send(...events: LeaseEvent[]) {
      for (const event of events) actor.send(event)
      return this
    },
    get state() {
      const { value } = actor.getSnapshot()
      return typeof value === 'string' ? value : Object.entries(value).flat().join('.')
    },
    leadsAt: (now: number, slept = 0) => isLeading(actor.getSnapshot(), { now, slept }),
    get wakeAt() {
      return wakeAt(actor.getSnapshot())
    },
    get seen() {
      return actor.getSnapshot().context.seen
    },
  }
}

const slept = 0
export const read = (lease: Lease | 'absent', now: number): LeaseEvent => ({
  type: 'lease.read',
  lease,
  now,
  slept,
})
export const seen = (lease: Lease | 'absent', now: number): LeaseEvent => ({
  type: 'lease.seen',
  lease,
  now,
  slept,
})
export const written = (now: number, renewal = now): LeaseEvent => ({
  type: 'lease.written',
  lease: heldBy('me', renewal),
  now,
  slept,
})
export const contested = (now: number): LeaseEvent => ({ type: 'lease.contested', now, slept })
export const unanswered = (now: number): LeaseEvent => ({
  type: 'lease.unanswered',
  error: new Error('no answer'),
  now,
  slept,
})
export const at = (now: number): LeaseEvent => ({ type: 'time.passed', now, slept })
export const release = (now: number): LeaseEvent => ({ type: 'lease.release', now, slept })
export const returned = (now: number): LeaseEvent => ({ type: 'lease.returned', now, slept })
/** The same event after the machine has slept for so long in all. */
export const asleepFor = (slept: number, event: LeaseEvent): LeaseEvent => ({ ...event, slept })

/** Events up to where the failures begin. */
export const leading = [read('absent', 0), written(10)]
export const following = [read(heldBy('other'), 0)]
