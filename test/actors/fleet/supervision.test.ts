import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RESTARTS } from '../../../machines/supervisor.js'
import type { Instance } from '../../../manifests/instance.js'
import { instance } from '../../machines/instance/facts.js'
import { FleetUnderTest, poisoned } from './fleet-under-test.js'

let uncaught: unknown[]
const note = (error: unknown): void => void uncaught.push(error)

beforeEach(() => {
  // XState and RxJS rethrow what nobody handles from a timer; a fake timer throws it into the test.
  vi.useFakeTimers()
  uncaught = []
  process.on('uncaughtException', note)
})
afterEach(() => {
  process.off('uncaughtException', note)
  vi.useRealTimers()
})

/** Data that no schema lets pass, in case a schema is older than the program or not enforced. */
const malformed: Readonly<Record<string, (object: Instance) => Instance>> = {
  poisoned,
  'without a spec': ({ spec: _, ...object }) => object as Instance,
  'with finalizers that are no list': object => ({
    ...object,
    metadata: { ...object.metadata, finalizers: 7 as unknown as string[] },
  }),
  'with conditions that are no list': object => ({
    ...object,
    status: { phase: 'Ready', conditions: 7 as unknown as [] },
  }),
  'with conditions that are no objects': object => ({
    ...object,
    status: { phase: 'Degraded', conditions: [null, 7] as unknown as [] },
  }),
  'being deleted, poisoned': object =>
    poisoned({ ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
}

const names = ['alpha', 'beta', 'gamma'] as const
type Command =
  | { readonly kind: 'observe'; readonly name: string; readonly as?: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'lead'; readonly now: boolean }
  | { readonly kind: 'pass'; readonly ms: number }

const name = fc.constantFrom(...names)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constant('observe' as const), name }),
  fc.record({ kind: fc.constant('observe' as const), name, as: fc.constantFrom(...Object.keys(malformed)) }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('lead' as const), now: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(0, 500, 5_000, 70_000, 400_000) }),
)

/** A fleet, what the watch has shown of it, and one instance that nothing is wrong with. */
class World {
  readonly fleet = new FleetUnderTest()
  readonly shown = new Map<string, { readonly object: Instance; readonly healthy: boolean }>()
  leading = false
  #version = 0

  constructor() {
    this.observe('bystander')
    this.fleet.listed()
  }

  observe(name: string, as?: string): void {
    const resourceVersion = String(++this.#version)
    const healthy = instance({ name, uid: name, resourceVersion })
    const object = as === undefined ? healthy : malformed[as]!(healthy)
    const type = this.shown.has(name) ? 'MODIFIED' : 'ADDED'
    this.shown.set(name, { object, healthy: as === undefined })
    this.fleet.observe(object, type)
  }

  async run(command: Command): Promise<void> {
    if (command.kind === 'observe') this.observe(command.name, command.as)
    if (command.kind === 'lead') {
      this.leading = command.now
      this.fleet.lead(command.now)
    }
    if (command.kind === 'remove') {
      const { object } = this.shown.get(command.name) ?? {}
      this.shown.delete(command.name)
      if (object) this.fleet.remove(object)
    }
    await vi.advanceTimersByTimeAsync(command.kind === 'pass' ? command.ms : 0)
  }

  /** What is wrong with how an instance is shown; undefined if nothing is. */
  wrongWith(name: string): string | undefined {
    const actor = this.fleet.supervisor.registry.get(name)
    if (!actor) return 'is not known'
    const view = actor.view()
    const { pending } = actor.explain(this.leading)
    const ready = view.conditions.find(({ type }) => type === 'Ready')
    if (view.instance !== this.shown.get(name)?.object) return 'is shown with an old CR'
    if (actor.crash)
      return ready?.status === 'False' &&
        /^(Crashed|Parked)$/.test(ready.reason) &&
        pending[0] === ready.message
        ? undefined
        : `is down, and shows ${JSON.stringify(ready)}`
    const { context } = actor.snapshot ?? {}
    if (context?.instance !== view.instance) return 'has not processed its CR'
    return context.leading === this.leading ? undefined : 'does not know who leads'
  }
}

describe('for any data of an instance', () => {
  it('no error escapes, no other instance is affected, every crash is reported, and repaired data restarts the actor', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async commands => {
        const world = new World()
        const { registry } = world.fleet.supervisor
        try {
          for (const each of commands) {
            await world.run(each)
            expect([...registry.values()].map(({ name }) => name).sort()).toEqual(
              [...world.shown.keys()].sort(),
            )
            for (const name of world.shown.keys())
              expect([name, world.wrongWith(name)]).toEqual([name, undefined])
            expect(registry.get('bystander')?.crash).toBeUndefined()
          }
          for (const name of world.shown.keys()) world.observe(name)
          await vi.advanceTimersByTimeAsync(RESTARTS.parkedMs)
          for (const name of world.shown.keys()) {
            expect([name, registry.get(name)?.crash]).toEqual([name, undefined])
            expect([name, world.wrongWith(name)]).toEqual([name, undefined])
          }
          expect(uncaught).toEqual([])
        } finally {
          world.fleet.supervisor.stop()
        }
      }),
      {
        numRuns: 100,
        examples: [
          [[{ kind: 'observe', name: 'alpha', as: 'poisoned' }]],
          [
            [
              { kind: 'lead', now: true },
              { kind: 'observe', name: 'alpha' },
              { kind: 'observe', name: 'alpha', as: 'poisoned' },
              { kind: 'pass', ms: 5_000 },
            ],
          ],
        ],
      },
    )
  })
})

it.each<[string, 'healed' | 'still poisoned', string]>([
  ['is deleted at once when its data does not crash it any more', 'healed', 'deleting'],
  ['waits for its turn again when it crashes on that too', 'still poisoned', 'Parked'],
])('an instance that is parked %s', async (_what, data, expected) => {
  const world = new World()
  try {
    world.observe('alpha', 'poisoned')
    await vi.advanceTimersByTimeAsync(40_000)
    const actor = world.fleet.supervisor.registry.get('alpha')!
    expect(actor.crash?.reason).toBe('Parked')
    const asked = { name: 'alpha', uid: 'alpha', deletionTimestamp: '2026-01-01T00:00:00Z' }
    world.fleet.observe(data === 'healed' ? instance(asked) : poisoned(instance(asked)), 'MODIFIED')
    await vi.advanceTimersByTimeAsync(0)
    expect(actor.crash?.reason ?? actor.view().state).toBe(expected)
    expect(uncaught).toEqual([])
  } finally {
    world.fleet.supervisor.stop()
  }
})

it('an actor that is restarted receives the current facts of the host watches', async () => {
  const world = new World()
  try {
    world.observe('alpha', 'poisoned')
    world.observe('alpha')
    await vi.advanceTimersByTimeAsync(40_000)
    const factsOf = (name: string) => world.fleet.supervisor.registry.get(name)?.snapshot?.context.facts
    expect(factsOf('alpha')).toEqual(factsOf('bystander'))
    expect(factsOf('alpha')).toMatchObject({ virtualCluster: 'absent', registration: 'absent' })
  } finally {
    world.fleet.supervisor.stop()
  }
})

it('an instance that is parked is restarted once for its deletion, and not for each later event', async () => {
  const world = new World()
  try {
    world.observe('alpha', 'poisoned')
    await vi.advanceTimersByTimeAsync(40_000)
    const asked = { name: 'alpha', uid: 'alpha', deletionTimestamp: '2026-01-01T00:00:00Z' }
    world.fleet.observe(poisoned(instance(asked)), 'MODIFIED')
    await vi.advanceTimersByTimeAsync(0)
    const actor = world.fleet.supervisor.registry.get('alpha')!
    const pause = actor.crash?.message
    expect(pause).toMatch(/is not restarted|is restarted within/)
    world.fleet.observe(instance({ ...asked, resourceVersion: '9' }), 'MODIFIED')
    expect(actor.crash?.message).toBe(pause)
  } finally {
    world.fleet.supervisor.stop()
  }
})
