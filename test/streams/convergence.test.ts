import fc from 'fast-check'
import { VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../manifests/kube.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { type Change, ObjectStore } from '../../streams/object-store.js'
import { reflectInto } from '../../streams/reflect.js'
import { dice } from '../dice.js'
import { GENTLE, ModelServer, type Temper } from './model-server.js'

/** Follows a stream of changes and remembers what makes no sense in it. */
class Ledger {
  readonly held = new Map<string, KubeObject>()
  readonly nonsense: string[] = []
  readonly #born = new Set<string>()
  readonly #died = new Set<string>()

  note(change: Change<KubeObject>): void {
    if (change.type === 'SYNCED') return
    const { name, uid = '', resourceVersion = '' } = change.object.metadata
    const held = this.held.get(name)
    const complain = (why: string) =>
      this.nonsense.push(`${change.type} ${name} ${uid}@${resourceVersion}: ${why}`)
    if (change.type === 'ADDED') {
      if (held) complain('was there already')
      if (this.#born.has(uid)) complain('was added before')
      this.#born.add(uid)
      this.held.set(name, change.object)
      return
    }
    if (held?.metadata.uid !== uid) complain(`another was there: ${held?.metadata.uid}`)
    if (change.type === 'MODIFIED') {
      if (change.previous !== held) complain('previous is not what was there')
      if (Number(resourceVersion) <= Number(held?.metadata.resourceVersion)) complain('is not newer')
      this.held.set(name, change.object)
      return
    }
    if (this.#died.has(uid)) complain('was deleted before')
    this.#died.add(uid)
    this.held.delete(name)
  }
}

const sorted = (objects: Iterable<KubeObject>) =>
  [...objects].map(({ metadata }) => metadata).sort((a, b) => a.name.localeCompare(b.name))

const chance = fc.constantFrom(0, 0, 0.01, 0.1, 0.4)
const temper: fc.Arbitrary<Temper> = fc.record({
  cut: chance,
  compact: chance,
  repeat: chance,
  swap: chance,
  stall: fc.constantFrom(0, 0, 0.01),
  slow: fc.constantFrom(100, 1_000, 5_000),
})
const mutations = fc.array(
  fc.record({
    at: fc.nat(120_000),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    how: fc.constantFrom('put' as const, 'put' as const, 'delete' as const, 'replace' as const),
  }),
  { maxLength: 40 },
)

/** One server, one run of virtual time: trouble for two minutes, then calm until everything must have settled. */
function run(
  seed: number,
  storm: Temper,
  happening: { at: number; name: string; how: 'put' | 'delete' | 'replace' }[],
) {
  const scheduler = new VirtualTimeScheduler()
  const random = dice(seed)
  const server = new ModelServer(random, scheduler)
  server.temper = storm
  for (const name of ['a', 'b', 'c']) server.mutate(name, 'put')
  for (const { at, name, how } of happening) scheduler.schedule(() => server.mutate(name, how), at)
  scheduler.schedule(() => {
    server.temper = GENTLE
  }, 120_000)
  // A stalled watch is cut after its 10 minutes and the margin, a list after 90 s, a pause takes at most 30 s.
  scheduler.maxFrames = 120_000 + 700_000 + 60_000
  return { scheduler, random, server }
}

describe('under random behaviour of the server', () => {
  it('the store becomes equal to the server’s, and each change is emitted once with the right type', () => {
    fc.assert(
      fc.property(fc.integer(), temper, mutations, (seed, storm, happening) => {
        const { scheduler, random, server } = run(seed, storm, happening)
        const store = new ObjectStore<KubeObject>()
        const ledger = new Ledger()
        const subscription = keepWatching(server.listWatch, { scheduler, random })
          .pipe(reflectInto(store))
          .subscribe(change => ledger.note(change))
        scheduler.flush()
        subscription.unsubscribe()
        expect(ledger.nonsense).toEqual([])
        expect(sorted(store.values())).toEqual(sorted(server.objects.values()))
        expect(sorted(ledger.held.values())).toEqual(sorted(server.objects.values()))
      }),
      { numRuns: 60 },
    )
  })
})
