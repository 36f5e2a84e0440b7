import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Arrivals } from '../../../http/read-your-writes/arrivals.js'
import type { CatchUp, Showing } from '../../../http/read-your-writes/catch-up.js'
import type { Due } from '../../../http/read-your-writes/due.js'
import type { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import { type Kind, World } from './world.js'

const user = fc.constantFrom('ann', 'ben')
const namespace = fc.constantFrom('a', 'b')
const name = fc.constantFrom('x', 'y')
const which = fc.nat({ max: 5 })

type Step = (world: World) => unknown

/** What may happen; everything but reads may also happen while somebody looks. */
const happening: fc.Arbitrary<Step & { toString(): string }> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(user, fc.constantFrom('create', 'update', 'delete'), namespace, name)
      .map(([user, verb, namespace, name]) =>
        step(`${user} sends ${verb} ${namespace}/${name}`, world =>
          world.send(user, verb as 'create', namespace, name),
        ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(user, namespace)
      .map(([user, namespace]) =>
        step(`${user} sweeps ${namespace}`, world => world.send(user, 'deletecollection', namespace, '')),
      ),
  },
  { weight: 3, arbitrary: which.map(which => step(`execute ${which}`, world => world.execute(which))) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(which, fc.constantFrom('whole', 'whole', 'whole', 'unreadable', 'lost'))
      .map(([which, how]) => step(`answer ${which} ${how}`, world => world.answer(which, how as 'whole'))),
  },
  { weight: 4, arbitrary: which.map(which => step(`advance ${which}`, world => world.advance(which))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      step('restart', world => world.restart()),
      step('relist', world => world.relist()),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(500, 3_000, 66_000)
      .map(time => step(`${time} ms pass`, world => world.pass(time))),
  },
)
const reading = fc
  .tuple(user, fc.constantFrom('', 'a', 'b'), fc.option(name, { nil: undefined }))
  .map(([user, namespace, name]) => {
    const extent = {
      namespace: name === undefined ? namespace : namespace || 'a',
      ...(name !== undefined && { name }),
    }
    return step(`${user} reads ${extent.namespace}/${name ?? ''}`, world => world.reads(user, extent))
  })

/** Whole writes at once, so that histories get somewhere; among them objects that are deleted and made again. */
const wrote = fc
  .tuple(
    user,
    fc.constantFrom('create', 'update', 'delete', 'delete and create', 'create, and it is lost'),
    namespace,
    name,
  )
  .map(([user, verbs, namespace, name]) =>
    step(`${user} did ${verbs} ${namespace}/${name}`, world => {
      const [all = '', lost] = verbs.split(', and it is ')
      for (const verb of all.split(' and '))
        world.did(user, verb as 'create', namespace, name, lost as 'lost')
    }),
  )

/** What deletions are about: what somebody else made is deleted and made again, and looked for now and then. */
const deleted = fc
  .tuple(namespace, name, fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }))
  .map(([namespace, name, advances]) =>
    step(`deletions of ${namespace}/${name} between advances ${advances}`, async world => {
      const moves = [
        () => world.did('ann', 'create', namespace, name),
        () => world.did('ben', 'delete', namespace, name),
        () => world.did('ann', 'create', namespace, name),
        () => world.did('ben', 'delete', namespace, name),
      ]
      for (const [at, move] of moves.entries()) {
        move()
        const wrong = await world.reads('ben', { namespace: '' })
        if (wrong) return wrong
        for (let times = advances[at] ?? 0; times > 0; times--) world.advance(times)
      }
      return undefined
    }),
  )

function step(words: string, run: Step): Step & { toString(): string } {
  return Object.assign((world: World) => run(world), {
    toString: () => words,
    [fc.toStringMethod]: () => words,
  })
}

interface Parts {
  readonly Ledger: typeof WriteLedger
  readonly Catching: typeof CatchUp
  readonly seenAs?: (index: Showing) => Showing
  /** Whether callers move from replica to replica, and what each remembers of their arrival. */
  readonly arriving?: (now: () => number) => Arrivals | undefined
}

const moving = user.map(user => step(`${user} moves`, world => world.move(user)))
const history = (moves: boolean) =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: happening },
      { weight: 3, arbitrary: wrote },
      { weight: 1, arbitrary: deleted },
      { weight: 4, arbitrary: reading },
      { weight: moves ? 1 : 0, arbitrary: moving },
    ),
    { maxLength: 40 },
  )

/** Runs histories; fails with the first in which somebody reads what is older than its own last write. */
function neverOlder(
  kind: Kind,
  { Ledger, Catching, seenAs = index => index, arriving }: Parts,
  runs: number,
  read: Map<string, number>,
) {
  return fc.assert(
    fc.asyncProperty(
      history(arriving !== undefined),
      fc.array(happening, { maxLength: 10 }),
      async (steps, inBetween) => {
        const world = new World(kind, world => {
          const now = () => world.clock
          const catching = new Catching(new Ledger(now, { objects: 3, records: 2 }), arriving?.(now))
          const shows = catching.shows.bind(catching)
          catching.shows = (what, index, instance) => shows(what, seenAs(index), instance)
          return catching
        })
        const pending = [...inBetween]
        world.meanwhile = () => void pending.shift()?.(world)
        for (const one of steps) {
          const wrong = await one(world)
          if (typeof wrong === 'string') throw new Error(wrong)
        }
        for (const from of world.read) read.set(from, (read.get(from) ?? 0) + 1)
      },
    ),
    { numRuns: runs },
  )
}

async function parts(): Promise<Parts> {
  const [ledger, catchUp] = await Promise.all([
    import('../../../http/read-your-writes/ledger.js'),
    import('../../../http/read-your-writes/catch-up.js'),
  ])
  return { Ledger: ledger.WriteLedger, Catching: catchUp.CatchUp }
}

const EXPECTATION = '../../../http/read-your-writes/expectation.js'
afterEach(() => {
  vi.doUnmock(EXPECTATION)
  vi.resetModules()
})

describe.each(['ordered', 'unordered'] as const)('with an index that takes changes in %s', kind => {
  it('nobody reads a state older than its own last write, and the index is read all the same', async () => {
    const read = new Map<string, number>()
    await neverOlder(kind, await parts(), 5_000, read)
    expect(read.get('index')).toBeGreaterThan(2_500)
    expect(read.get('karmada')).toBeGreaterThan(500)
  })
})

describe.each(['ordered', 'unordered'] as const)('with replicas, and an index in %s', kind => {
  it('nobody who comes to another reads a state older than its own last write, if newcomers are checked', async () => {
    const read = new Map<string, number>()
    await neverOlder(kind, { ...(await parts()), arriving: now => new Arrivals(now) }, 3_000, read)
    expect(read.get('index')).toBeGreaterThan(100)
    expect(read.get('karmada')).toBeGreaterThan(500)
  })

  it('nor is a newcomer checked in vain once, and believed then', async () => {
    class Hasty extends Arrivals {
      readonly #asked = new Set<unknown>()
      override due(...of: Parameters<Arrivals['due']>) {
        const due = super.due(...of)
        if (this.#asked.has(due)) return undefined
        this.#asked.add(due)
        return due
      }
    }
    await found(kind, { ...(await parts()), arriving: now => new Hasty(now) })
  })

  it('else a history is found in which somebody does', async () => {
    await found(kind, { ...(await parts()), arriving: () => undefined })
  })
})

const found = async (kind: Kind, broken: Parts) => {
  const failed = await neverOlder(kind, broken, 20_000, new Map()).catch((error: Error) => error)
  expect(String((failed as Error | undefined)?.cause)).toMatch(/wrote .+ and sees/)
}

describe('a history is found in which somebody does', () => {
  type Expecting = typeof import('../../../http/read-your-writes/expectation.js')
  const mocked = async (change: (real: Expecting) => Partial<Expecting>) => {
    vi.resetModules()
    vi.doMock(EXPECTATION, async original => {
      const real = (await original()) as Expecting
      return { ...real, ...change(real) }
    })
    return parts()
  }

  it.each(['ordered', 'unordered'] as const)('when deletions are not remembered, %s', async kind => {
    const isMet =
      (real: Expecting): Expecting['isMet'] =>
      (expected, shown, reach) =>
        expected.kind === 'gone' || real.isMet(expected, shown, reach)
    await found(kind, await mocked(real => ({ isMet: isMet(real) })))
  })

  it.each(['ordered', 'unordered'] as const)('when absence is taken for deletion, %s', async kind => {
    const isMet =
      (real: Expecting): Expecting['isMet'] =>
      (expected, shown, reach) =>
        (expected.kind === 'gone' && !shown) || real.isMet(expected, shown, reach)
    await found(kind, await mocked(real => ({ isMet: isMet(real) })))
  })

  it('when another uid is always taken for a later object', async () => {
    const isMet =
      (real: Expecting): Expecting['isMet'] =>
      (expected, shown, reach) =>
        expected.kind === 'gone' && shown ? expected.uid !== shown.uid : real.isMet(expected, shown, reach)
    await found('unordered', await mocked(real => ({ isMet: isMet(real) })))
  })

  it('when versions are compared as strings', async () => {
    const isAtOrAfter = (a: string, b: string) => a >= b
    const isMet =
      (real: Expecting): Expecting['isMet'] =>
      (expected, shown, reach) =>
        expected.kind === 'present'
          ? shown !== undefined && isAtOrAfter(shown.resourceVersion, expected.resourceVersion)
          : real.isMet(expected, shown, reach)
    await found('unordered', await mocked(real => ({ isAtOrAfter, isMet: isMet(real) })))
  })

  it('when one object that is seen stands for all', async () => {
    const { Ledger, Catching } = await parts()
    class Hasty extends Ledger {
      override settle(due: Due, stand: number): void {
        const { record } = due as Due & { record: { entries: Map<string, Due> } }
        super.settle(due, stand)
        for (const other of [...record.entries.values()]) super.settle(other, this.standOf(other))
      }
    }
    await found('unordered', { Ledger: Hasty, Catching })
  })

  it('when the newest object of an index is taken for how far it is', async () => {
    const seenAs = (index: Showing): Showing => ({
      list: async (type, where) => {
        const { items } = await index.list(type, where)
        const all = await index.list(type, {})
        const newest = Math.max(0, ...all.items.map(({ resourceVersion }) => Number(resourceVersion)))
        return { items, resourceVersion: String(newest) }
      },
    })
    await found('unordered', { ...(await parts()), seenAs })
  })

  it.each(['lost', 'unread'] as const)('when an answer that is %s counts for nothing', async kind => {
    const { Ledger, Catching } = await parts()
    class Careless extends Ledger {
      override begin(...write: Parameters<WriteLedger['begin']>) {
        const pending = super.begin(...write)
        return {
          ended: (outcome: Parameters<typeof pending.ended>[0]) =>
            pending.ended(outcome.kind === kind ? { kind: 'refused' } : outcome),
        }
      }
    }
    await found('unordered', { Ledger: Careless, Catching })
  })
})
