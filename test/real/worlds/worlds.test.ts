import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import { settled } from '../differential/compare.js'
import { startEmbeddedSide } from '../differential/embedded-side.js'
import { report } from '../differential/report.js'
import type { Side } from '../differential/side.js'
import { countsOf } from '../differential/state.js'
import { type Stack, startStack } from '../stack.js'
import { areEqual, explanationOf } from './explained.js'
import { histories } from './histories.js'
import { isLeaving, stateOf } from './state.js'
import { enter, leave, type Step, take, type World, worldOf } from './world.js'

/** How many histories are compared; `KAIRSHIP_HISTORIES=300` compares more. */
const HISTORIES = Number(process.env.KAIRSHIP_HISTORIES ?? 24)
/** `KAIRSHIP_RANDOM_SEED` takes others. */
const seed = Number(process.env.KAIRSHIP_RANDOM_SEED ?? 20_261_123)
/** After so many minutes no further history is begun. */
const MINUTES = Number(process.env.KAIRSHIP_MINUTES ?? 60)
/** Each in a world of its own; they mostly wait for controllers. `KAIRSHIP_AT_ONCE` says how many. */
const AT_ONCE = Number(process.env.KAIRSHIP_AT_ONCE ?? 4)

const MEMBERS = ['member-1', 'member-2']
let stack: Stack
let embedded: Awaited<ReturnType<typeof startEmbeddedSide>>
let real: Side
beforeAll(async () => {
  const name = 'karmada-worlds'
  // Karmada with the feature gates and flags that the playground has.
  stack = await startStack({ karmadas: { [name]: MEMBERS }, clusterpedia: false, examined: true }, line =>
    console.log(line),
  )
  const clientOf = (plane = stack.karmadas.get(name)) => new ApiClient(plane!.administrator)
  real = {
    name: 'Karmada',
    control: clientOf(),
    members: new Map(MEMBERS.map(name => [name, clientOf(stack.members.get(name))])),
  }
  embedded = await startEmbeddedSide(MEMBERS)
})
afterAll(async () => {
  await embedded?.close()
  for (const client of real ? [real.control, ...real.members.values()] : []) await client.close()
  await stack?.close()
})

it('a history that changes Clusters and what has no namespace leads to the same as in Karmada', async () => {
  const sides = [real, embedded] as const
  const waiting = Array.from({ length: HISTORIES }, (_, at) => at)
  const differences: string[] = []
  const compared = { bindings: 0, works: 0, memberObjects: 0 }
  let [equal, explained] = [0, 0]
  const deadline = performance.now() + MINUTES * 60_000
  const run = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const at = waiting.shift()
      if (at === undefined) return
      const world = worldOf(`w${at}`, MEMBERS)
      const [history = []] = fc.sample(histories(world), { numRuns: 1, seed: seed + at })
      const found = await firstDifference(world, history, sides, compared)
      if (typeof found === 'object') {
        explained++
        console.log(`history ${at}: ${found.explanation}`)
      } else if (found) {
        differences.push(found)
        console.log(`history ${at}: ${found}`)
      } else equal++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  const all = equal + explained + differences.length
  console.log(`${equal} of ${all} histories were equal, ${explained} explained; compared:`, compared)
  if (waiting[0] !== undefined) console.log(`KAIRSHIP_RANDOM_SEED=${seed + waiting[0]} continues there`)
  expect(differences.join('\n\n')).toBe('')
  // Two sides that propagate nothing are equal, too.
  expect(Object.entries(compared).filter(([, count]) => count === 0)).toEqual([])
})

async function firstDifference(
  world: World,
  history: readonly Step[],
  sides: readonly [Side, Side],
  compared: { bindings: number; works: number; memberObjects: number },
): Promise<string | { readonly explanation: string } | undefined> {
  try {
    const show = (side: Side) => stateOf(side, world)
    await Promise.all(sides.map(side => enter(side, world)))
    const settle = () => settled(sides, show, areEqual, isLeaving)
    const begun = await settle()
    if (!areEqual(...begun)) return report(0, [], begun)
    for (const [at, step] of history.entries()) {
      await Promise.all(sides.map(side => take(step, side, world)))
      const states = await settle()
      if (!areEqual(...states)) {
        const explanation = explanationOf(states)
        return explanation ? { explanation } : report(at, history.slice(0, at + 1), states)
      }
      const { bindings, works, memberObjects } = countsOf(states[0])
      compared.bindings += bindings
      compared.works += works
      compared.memberObjects += memberObjects
    }
    return undefined
  } catch (problem) {
    return `history ${JSON.stringify(history)}: ${String(problem)}`
  } finally {
    for (const side of sides) await leave(side, world)
  }
}
