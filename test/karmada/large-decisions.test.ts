import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Group, selectGroups } from '../../karmada/scheduling/select-groups.js'
import { divideByWeight } from '../../karmada/scheduling/webster.js'
import { fnv32a } from '../../manifests/hash.js'

/** Decisions that are quick for Karmada's usual fleets, and must not stop a process where there is more of everything. */

/** One replica after the other, as Karmada gives them. */
function oneByOne(replicas: number, weights: ReadonlyMap<string, number>, uid: string): object {
  const seats = new Map([...weights.keys()].map(name => [name, 0]))
  const isOdd = uid !== '' && (fnv32a(uid) & 1) === 1
  for (let left = replicas; left > 0; left--) {
    const [first] = [...weights].sort(([a, votes], [b, others]) => {
      const [mine, theirs] = [seats.get(a) ?? 0, seats.get(b) ?? 0]
      const difference = others / (2 * theirs + 1) - votes / (2 * mine + 1)
      return difference || mine - theirs || (a < b === isOdd ? 1 : -1)
    })
    if (first) seats.set(first[0], (seats.get(first[0]) ?? 0) + 1)
  }
  return Object.fromEntries(seats)
}

/** Every choice in the order in which Karmada finds it, and then the best. */
function listed(groups: readonly Group[], min: number, max: number, target: number): readonly string[] {
  const heavier = (a: Group, b: Group) => b.weight - a.weight || (a.name < b.name ? -1 : 1)
  const sorted = [...groups].sort((a, b) => a.value - b.value || heavier(a, b))
  const sum = (of: readonly Group[], key: 'value' | 'weight') => of.reduce((all, one) => all + one[key], 0)
  const found: Group[][] = []
  const search = (chosen: Group[], from: number): void => {
    if (sum(chosen, 'value') >= target && chosen.length >= min && chosen.length <= max) found.push(chosen)
    else if (chosen.length < max)
      for (let at = from; at < sorted.length; at++) search([...chosen, sorted[at] as Group], at + 1)
  }
  search([], 0)
  const [first, ...others] = found
    .map((choice, id) => ({ choice: [...choice].sort(heavier).map(({ name }) => name), id, all: choice }))
    .sort(
      (a, b) =>
        sum(b.all, 'weight') - sum(a.all, 'weight') ||
        sum(b.all, 'value') - sum(a.all, 'value') ||
        a.id - b.id,
    )
    .map(({ choice }) => choice)
  const begins = (part: readonly string[], whole: readonly string[]) =>
    part.length < whole.length && part.every((name, at) => whole[at] === name)
  return first ? others.reduce((best, one) => (begins(one, best) ? one : best), first) : []
}

describe('replicas divided by weight', () => {
  it('are those of giving one after the other', () =>
    fc.assert(
      fc.property(
        fc.nat(400),
        // Room beyond an int32 is negative.
        fc.array(fc.oneof(fc.nat(6), fc.nat(1_000_000), fc.integer({ min: -9, max: 0 })), {
          minLength: 1,
          maxLength: 9,
        }),
        fc.constantFrom('', 'a', 'b'),
        (replicas, votes, uid) => {
          fc.pre(votes.some(one => one > 0))
          const weights = new Map(votes.map((vote, at) => [`c${at}`, vote]))
          const ours = divideByWeight(replicas, weights, [], uid)
          expect(Object.fromEntries(ours.map(one => [one.name, one.replicas]))).toEqual(
            oneByOne(replicas, weights, uid),
          )
        },
      ),
      { numRuns: 300 },
    ))

  it('may be as many as an int32 holds', () => {
    const weights = new Map(Array.from({ length: 500 }, (_, at) => [`c${at}`, at + 1]))
    const all = 2 ** 31 - 1
    const shares = divideByWeight(all, weights, [], 'a')
    const votes = 250 * 501
    expect(shares.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(all)
    for (const { name, replicas } of shares)
      expect(Math.abs(replicas - ((weights.get(name) ?? 0) / votes) * all)).toBeLessThan(2)
  })
})

describe('groups of clusters', () => {
  const group = (name: string, value: number, weight: number): Group => ({ name, value, weight })

  it('are chosen as by looking at all choices', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(4)), { maxLength: 8 }),
        fc.nat(5),
        fc.nat(5),
        fc.nat(14),
        (sizes, min, more, target) => {
          const groups = sizes.map(([value, weight], at) => group(`r${at}`, value, weight))
          const ours = selectGroups(groups, min, min + more, target).map(({ name }) => name)
          expect(ours).toEqual(listed(groups, min, min + more, target))
        },
      ),
      { numRuns: 2_000 },
    ))

  it('may be so many that their choices cannot be listed', () => {
    const groups = Array.from({ length: 60 }, (_, at) => group(`r${at}`, 1 + (at % 3), at))
    const chosen = selectGroups(groups, 30, 30, 60).map(({ name }) => name)
    expect(chosen).toHaveLength(30)
    expect(chosen.slice(0, 3)).toEqual(['r59', 'r58', 'r57'])
  })
})
