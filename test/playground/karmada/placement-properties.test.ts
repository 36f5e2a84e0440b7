import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { Difference } from '../../../playground/client/source.js'
import { eventually } from '../eventually.js'
import { always, type Change, histories, MEMBERS, type Step, TEMPLATES } from './placement-histories.js'
import {
  complaints,
  followsRoom,
  freeIn,
  isRepelled,
  mayUse,
  type Shares,
  sharesOf,
} from './placement-rules.js'
import { PlacementWorld, type Seen, type Wanted } from './placement-world.js'

/** `KAIRSHIP_HISTORIES=200` tries more. */
const HISTORIES = Number(process.env.KAIRSHIP_HISTORIES ?? 8)

let world: PlacementWorld
beforeAll(async () => {
  world = await PlacementWorld.start()
})
afterAll(() => world.close())

/** Waits until all is as it must be; gives up with what is not. */
async function settled(what: string): Promise<Seen> {
  return eventually(what, async () => {
    const seen = await world.see()
    expect(complaints(world.wanted, seen)).toEqual([])
    return seen
  })
}

/**
 * Judges each write of a binding during a step: no cluster comes into it that neither the state before nor that after the step allows, and
 * no cluster gets more than was free in it.
 */
function judge(before: Wanted, after: Wanted, seen: Seen, report: (words: string) => void) {
  const freed = new Map(Object.keys(MEMBERS).map(name => [name, freeIn(seen, name)]))
  // A restart in between shows a binding as if it were new.
  const last = new Map(seen.bindings.map(one => [one.spec.resource.name, sharesOf(one)]))
  return ({ type, object }: Difference<Binding>): void => {
    const name = object.spec.resource.name
    const earlier: Shares = last.get(name) ?? new Map()
    const now = sharesOf(type === 'DELETED' ? undefined : object)
    last.set(name, now)
    for (const cluster of Object.keys(MEMBERS)) {
      const growth = (now.get(cluster) ?? 0) - (earlier.get(cluster) ?? 0)
      const request = TEMPLATES[name] ?? 0
      if (now.has(cluster) && !earlier.has(cluster) && !isAllowed(name, cluster, before, after))
        report(`${name} comes to ${cluster}`)
      const placement = after.placements.get(name)
      if (growth > 0 && placement && followsRoom(placement) && growth * request > (freed.get(cluster) ?? 0))
        report(`${name} gets ${growth} more in ${cluster}, which has ${freed.get(cluster)}m free`)
      if (growth < 0) freed.set(cluster, (freed.get(cluster) ?? 0) - growth * request)
    }
  }
}

const isAllowed = (name: string, cluster: string, ...wanted: readonly Wanted[]): boolean =>
  wanted.some(({ placements, taints }) => {
    const placement = placements.get(name)
    if (!placement || !mayUse(placement, cluster)) return false
    return !isRepelled(placement, taints.get(cluster), 'NoSchedule', 'NoExecute')
  })

/** What is asked for once a change is made, before it is. */
const afterwards = (wanted: Wanted, change: Change): Wanted => ({
  ...wanted,
  ...('policyOf' in change && {
    placements: new Map(wanted.placements).set(change.policyOf, change.placement),
  }),
  ...('clusters' in change && {
    taints: new Map([...wanted.taints, ...change.clusters.map(name => [name, change.taints] as const)]),
  }),
})

async function take({ change, crash }: Step, seen: Seen): Promise<Seen> {
  const wrong: string[] = []
  const before = world.wanted
  world.onBinding = judge(before, afterwards(before, change), seen, words => wrong.push(words))
  if (crash) Object.assign(world.crash, { at: world.crash.writes + crash.after, isStored: crash.isStored })
  await world.make(change)
  if (crash) {
    await eventually(
      'the crash or the end',
      async () => world.crash.hasHappened || complaints(world.wanted, await world.see()).length === 0,
    )
    await world.restart()
  }
  const end = await settled(`all to be as ${JSON.stringify(change)} asks`)
  expect(wrong).toEqual([])
  return end
}

describe('whatever happens to templates, policies and clusters, and wherever the controllers crash,', () => {
  it(
    'replicas add up, no tainted, full or excluded cluster gets any, and nothing is left of what is deleted',
    async () => {
      let seen = await settled('members to be ready')
      await fc.assert(
        fc.asyncProperty(histories, async history => {
          try {
            for (const step of history) seen = await take(step, seen)
          } finally {
            world.onBinding = undefined
            await world.restart()
            await world.removeAll()
            seen = await settled('nothing to be left')
          }
        }),
        { numRuns: HISTORIES, endOnFailure: true, examples: always.map(one => [one]) },
      )
    },
    120_000 + HISTORIES * 30_000,
  )
})
