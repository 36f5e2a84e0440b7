import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine, getInitialSnapshot, transition } from 'xstate'
import { afterCrash, RESTARTS, type SupervisorEvent, supervisorMachine } from '../../machines/supervisor.js'
import { instance } from './instance/facts.js'

/** Where events lead, and what the last of them asks for. */
function told(...events: SupervisorEvent[]): { state: unknown; asked: string[] } {
  let snapshot = getInitialSnapshot(supervisorMachine)
  let asked: string[] = []
  for (const event of events) {
    const [next, actions] = transition(supervisorMachine, snapshot, event)
    snapshot = next
    asked = actions.map(({ type }) => type)
  }
  return { state: snapshot.value, asked }
}

const crashed = (now: number, name = 'alpha'): SupervisorEvent => ({
  type: 'instance.crashed',
  name,
  error: 'boom',
  now,
})

describe('the supervisor', () => {
  it.each<[string, SupervisorEvent[], string, string[]]>([
    [
      'leads when it gains the lease',
      [{ type: 'instances.listed' }, { type: 'lease.gained' }],
      'leading',
      ['announce leadership'],
    ],
    [
      'notifies all when it loses the lease',
      [{ type: 'instances.listed' }, { type: 'lease.gained' }, { type: 'lease.lost' }],
      'following',
      ['announce leadership'],
    ],
    [
      'starts or updates an actor at any time',
      [{ type: 'instance.observed', instance: instance() }],
      'warming',
      ['start or update'],
    ],
    [
      'is not moved by one that crashes',
      [{ type: 'instances.listed' }, crashed(0)],
      'following',
      ['restart later'],
    ],
    [
      'stops all from any state',
      [{ type: 'instances.listed' }, { type: 'lease.gained' }, { type: 'supervisor.stop' }],
      'stopped',
      ['announce leadership', 'stop all'],
    ],
  ])('%s', (_claim, events, state, asked) => {
    const result = told(...events)
    expect(result.state).toBe(state)
    expect(result.asked).toEqual(asked)
  })
})

describe('an actor that crashes', () => {
  it.each([
    ['once is restarted soon', [0], { parked: false, pauseMs: 1_000 }],
    ['again is restarted less soon', [0, 5_000], { parked: false, pauseMs: 4_000 }],
    ['a third time is restarted calmly', [0, 5_000, 10_000], { parked: false, pauseMs: 16_000 }],
    [
      'more often than that within a minute is parked',
      [0, 5_000, 10_000, 30_000],
      { parked: true, pauseMs: RESTARTS.parkedMs },
    ],
    [
      'now and then is restarted every time',
      [0, 61_000, 122_000, 183_000],
      { parked: false, pauseMs: 1_000 },
    ],
  ])('%s', (_claim, times, verdict) => expect(afterCrash(times)).toEqual(verdict))

  it('gets a clean record when its Instance is gone, and does not count for others', () => {
    let snapshot = getInitialSnapshot(supervisorMachine)
    for (const event of [
      crashed(0),
      crashed(1, 'beta'),
      { type: 'instance.removed', instance: instance() } as const,
    ])
      snapshot = transition(supervisorMachine, snapshot, event)[0]
    expect(snapshot.context.crashes).toEqual({ beta: [1] })
  })

  it('may crash within an action of another machine without an XState error', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const supervisor = createActor(supervisorMachine).start()
    const other = createMachine({ entry: () => supervisor.send(crashed(7)) })
    createActor(other).start().stop()
    supervisor.stop()
    expect(supervisor.getSnapshot().context.crashes).toEqual({ alpha: [7] })
    expect(warn.mock.calls).toEqual([])
    warn.mockRestore()
  })

  it.each([
    [3, { parked: false, pauseMs: 16_000 }],
    [4, { parked: true, pauseMs: RESTARTS.parkedMs }],
  ])('that crashes %i times in a row triggers the combined restart policy', (times, verdict) => {
    let met: unknown
    const machine = supervisorMachine.provide({
      actions: {
        'restart later': (_, { parked, pauseMs }) => {
          met = { parked, pauseMs }
        },
      },
    })
    const supervisor = createActor(machine).start()
    for (let n = 0; n < times; n++) supervisor.send(crashed(n))
    supervisor.stop()
    expect(met).toEqual(verdict)
  })
})
