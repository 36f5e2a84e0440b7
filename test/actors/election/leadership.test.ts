import { describe, expect, it } from 'vitest'
import { type Leadership, LeadershipView } from '../../../actors/election/leadership.js'
import { leaseMachine } from '../../../machines/lease.js'
import { DEFAULT_DURATIONS } from '../../../machines/lease-terms.js'
import { warnedDuring } from '../../node-warnings.js'
import { silent, unmetered } from '../../silent.js'

type Snapshot = Parameters<LeadershipView['at']>[0]

/** A moment at which the terms below are not over. */
const within = { now: 0, slept: 0 }

/** The snapshot of a replica that holds a term until 10 s, as it last saw the lease. */
const leading = (holderIdentity: string, status: Snapshot['status'] = 'active'): Snapshot => {
  const context = {
    ...{ identity: 'me', contend: true, durations: DEFAULT_DURATIONS, ...within, leaving: false },
    ...{ freeAt: 0, requestedAt: within, restUntil: 2_000, actUntil: 10_000 },
    seen: { apiVersion: 'v1', kind: 'Lease', metadata: { name: 'x' }, spec: { holderIdentity } },
  }
  return {
    ...leaseMachine.resolveState({ value: { leading: 'resting' }, context: context as never }),
    status,
  } as Snapshot
}
const over = { now: 10_000, slept: 0 }

/** What was emitted, and how it stands. */
function viewing() {
  const view = new LeadershipView(silent, unmetered)
  const emitted: Leadership[] = []
  let completed = false
  view.changes$.subscribe({
    next: one => emitted.push(one),
    complete: () => {
      completed = true
    },
  })
  return { view, emitted, completed: () => completed }
}

describe('the signal of a term', () => {
  it('is aborted before the first term', () => {
    const [first] = viewing().emitted
    expect([first?.leading, first?.signal.aborted]).toEqual([false, true])
  })

  it('stays the same while this replica leads, whomever the lease names, and is aborted when the term ends', () => {
    const { view } = viewing()
    const { signal } = view.at(leading('me'), within)
    expect(view.at(leading('other'), within)).toMatchObject({ leading: true, holder: 'other' })
    expect(view.at(leading('other'), within).signal).toBe(signal)
    expect(signal.aborted).toBe(false)
    expect(view.at(leading('other'), over).leading).toBe(false)
    expect(signal.aborted).toBe(true)
  })

  it('is another one in each term', () => {
    const { view } = viewing()
    const first = view.at(leading('me'), within).signal
    view.at(leading('me'), over)
    const second = view.at(leading('me'), within).signal
    expect([first.aborted, second.aborted]).toEqual([true, false])
  })

  it('may have a listener for each of many requests', async () => {
    const { view } = viewing()
    const { signal } = view.at(leading('me'), within)
    const warned = await warnedDuring(async () => {
      for (let count = 0; count < 100; count += 1) signal.addEventListener('abort', () => undefined)
    })
    expect(warned).toEqual([])
  })
})

describe('the end of an election', () => {
  it('ends the term, logs that, and completes', () => {
    const { view, emitted, completed } = viewing()
    const { signal } = view.at(leading('me'), within)
    view.end()
    expect([emitted.map(({ leading }) => leading), signal.aborted, completed()]).toEqual([
      [false, true, false],
      true,
      true,
    ])
  })

  it.each(['done', 'error', 'stopped'] as const)(
    'as %s ends the term in any state of the machine',
    status => {
      const { view } = viewing()
      const { signal } = view.at(leading('me'), within)
      expect(view.at(leading('me', status), within).leading).toBe(false)
      expect(signal.aborted).toBe(true)
    },
  )
})
