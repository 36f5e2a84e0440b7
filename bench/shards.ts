/**
 * node dist/bench/shards.js [--runs 40] [--ranges 64] [--replicas 5] [--seed 1] [--json]
 *
 * Whether replicas could share a fleet in ranges of the hash of the Instances' uids (docs/adr/0068-a-fleet-in-ranges.md): a simulation, no
 * part of Kairship. It ends with an error when two replicas would have acted on one range at a time.
 */
import { parseArgs } from 'node:util'
import { dice } from '../test/dice.js'
import { inOrder } from './shards/ranges.js'
import { type Replica, Shards } from './shards/simulation.js'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '40' },
    ranges: { type: 'string', default: '64' },
    replicas: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const [runs, ranges, replicas] = [Number(values.runs), Number(values.ranges), Number(values.replicas)]
const STEP_MS = 100
const SETTLED_MS = 60_000

const found = {
  twice: 0,
  moments: 0,
  moved: 0,
  mustMove: 0,
  between: 0,
  afterCrash: [] as number[],
  afterLeave: [] as number[],
  writes: 0,
  calmMs: 0,
}

for (let run = 0; run < runs; run++) {
  const random = dice(Number(values.seed) * 1_000 + run)
  const harsh = run % 2 === 1
  const world = new Shards({
    replicas,
    ranges,
    delayMs: harsh ? 800 : 20,
    loss: harsh ? 0.05 : 0,
    skew: harsh ? 0.1 : 0.001,
    random,
  })
  for (let at = 0; at < replicas; at++) world.join(1 + (at % 2))
  walk(world, SETTLED_MS)
  if (!harsh) {
    const before = world.writes
    walk(world, SETTLED_MS)
    found.writes += world.writes - before
    found.calmMs += SETTLED_MS
    measured(world)
  } else {
    // Everything at once: only that two never act is looked at.
    for (let step = 0; step < 20; step++) {
      const alive = world.replicas.filter(({ lives }) => lives)
      const one = alive[Math.floor(random() * alive.length)]
      const dice = random()
      if (dice < 0.3 || alive.length < 2) world.join(1 + Math.floor(random() * 3))
      else if (dice < 0.5) one?.crash()
      else if (dice < 0.7) one?.leave()
      else one?.cut(5_000 + random() * 25_000)
      walk(world, 2_000 + random() * 20_000)
    }
  }
  found.twice += world.twice
}

const percentile = (figures: readonly number[], part: number): number =>
  Math.round([...figures].sort((a, b) => a - b)[Math.ceil(part * figures.length) - 1] ?? 0)
const result = {
  bench: 'shards',
  runs,
  ranges,
  replicas,
  momentsLookedAt: found.moments,
  momentsWithTwo: found.twice,
  movedByJoinsAndLeaves: found.moved,
  thatHadToMove: found.mustMove,
  movedBetweenOthers: found.between,
  msAfterCrash: {
    p50: percentile(found.afterCrash, 0.5),
    p99: percentile(found.afterCrash, 0.99),
    most: percentile(found.afterCrash, 1),
  },
  msAfterLeave: {
    p50: percentile(found.afterLeave, 0.5),
    p99: percentile(found.afterLeave, 0.99),
    most: percentile(found.afterLeave, 1),
  },
  leaseWritesPerSecondAtRest: Math.round((found.writes / found.calmMs) * 10_000) / 10,
}
process.stdout.write(`${values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`)
if (found.twice > 0) process.exitCode = 1

/** A join, a leave and a crash, each from rest. */
function measured(world: Shards): void {
  const before = holders(world)
  const joined = world.join()
  walk(world, SETTLED_MS)
  compare(before, holders(world), joined)
  const beforeLeave = holders(world)
  const leaving = world.replicas[0] as Replica
  leaving.leave()
  found.afterLeave.push(...untilTaken(world, beforeLeave, leaving))
  walk(world, SETTLED_MS)
  compare(beforeLeave, holders(world), leaving)
  const beforeCrash = holders(world)
  const crashing = world.replicas[1] as Replica
  crashing.crash()
  found.afterCrash.push(...untilTaken(world, beforeCrash, crashing))
}

function compare(
  before: readonly (Replica | undefined)[],
  after: readonly (Replica | undefined)[],
  who: Replica,
): void {
  for (const [range, holder] of before.entries()) {
    if (after[range] === holder) continue
    found.moved += 1
    if (holder !== who && after[range] !== who) found.between += 1
  }
  const alive = after.filter(holder => holder !== undefined)
  const peers = [...new Set([...alive, who])].map(({ peer }) => peer)
  found.mustMove += before.filter((_, range) => inOrder(range, peers)[0] === who.peer).length
}

/** Milliseconds until each range of one replica is acted on by another. */
function untilTaken(
  world: Shards,
  before: readonly (Replica | undefined)[],
  gone: Replica,
): readonly number[] {
  const waiting = new Set(before.flatMap((holder, range) => (holder === gone ? [range] : [])))
  const [from, taken] = [world.now, [] as number[]]
  while (waiting.size > 0 && world.now - from < SETTLED_MS) {
    walk(world, STEP_MS)
    for (const range of waiting) {
      const holder = world.holder(range)
      if (!holder || holder === gone) continue
      waiting.delete(range)
      taken.push(world.now - from)
    }
  }
  return [...taken, ...[...waiting].map(() => SETTLED_MS)]
}

function holders(world: Shards): readonly (Replica | undefined)[] {
  return Array.from({ length: ranges }, (_, range) => world.holder(range))
}

/** Time passes, and at each step who acts is looked at. */
function walk(world: Shards, ms: number): void {
  for (let left = ms; left > 0; left -= STEP_MS) {
    world.run(Math.min(left, STEP_MS))
    holders(world)
    found.moments += 1
  }
}
