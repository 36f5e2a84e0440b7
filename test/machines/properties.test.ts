import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Replica, sights, World } from './world.js'

/** Lets promises that are due settle; no time passes. */
const flush = async () => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve()
}

type Command = (world: World, replicas: readonly [Replica, Replica]) => void

const which = fc.constantFrom(0 as const, 1 as const)
const on = fc.boolean()
const does = (say: string, command: Command) => Object.assign(command, { toString: () => say })

const leads = (i: 0 | 1) =>
  does(`lead ${i}`, (world, all) => {
    const other = all[1 - i]
    if (world.leader === other) {
      world.leader = undefined
      other?.tell({ type: 'leadership.lost' })
    }
    if (!all[i].running || world.host === 'down') return
    world.leader = all[i]
    // As the supervisor does: nothing is done before the Instances were listed since.
    all[i].show('cr')
    all[i].tell({ type: 'leadership.gained' })
  })
const hostIs = (is: World['host']) => does(`host ${is}`, world => Object.assign(world, { host: is }))

/** Anything that may happen, to the world or to a replica. */
const commands: fc.Arbitrary<Command>[] = [
  fc
    .tuple(which, fc.constantFrom(...sights))
    .map(([i, kind]) => does(`show ${i} ${kind}`, (_, all) => all[i].show(kind))),
  which.map(i => does(`look around ${i}`, (_, all) => all[i].look())),
  on.map(is => does(`slow ${is}`, world => Object.assign(world, { slow: is }))),
  fc.constant(does('answers come', world => world.answer())),
  which.map(i => does(`wait ${i}`, (_, all) => all[i].wait())),
  which.map(i => does(`crash ${i}`, (_, all) => all[i].crash())),
  which.map(i => does(`start ${i}`, (_, all) => all[i].start())),
  which.map(leads),
  which.map(i =>
    does(`depose ${i}`, (world, all) => {
      if (world.leader === all[i]) world.leader = undefined
      all[i].tell({ type: 'leadership.lost' })
    }),
  ),
  on.map(is => does(`secret ${is}`, world => Object.assign(world, { secret: is }))),
  on.map(is => does(`reachable ${is}`, world => Object.assign(world, { reachable: is }))),
  on.map(is => does(`aggregated ${is}`, world => Object.assign(world, { aggregated: is }))),
  on.map(is => does(`index moves ${is}`, world => Object.assign(world, { moving: is }))),
  on.map(is => does(`elder ${is}`, world => Object.assign(world, { elder: is }))),
  on.map(is =>
    does(`synced ${is}`, world => {
      if (world.virtualCluster) world.virtualCluster.synced = is
    }),
  ),
  fc.constantFrom('up', 'down', 'lossy').map(hostIs),
  fc
    .constantFrom('virtualCluster', 'registration')
    .map(what => does(`somebody deletes the ${what}`, world => Object.assign(world, { [what]: undefined }))),
  which.map(i => does(`contact lost ${i}`, (_, all) => all[i].loseContact())),
]
const deletion = fc.constant(does('ask for deletion', world => world.askDeletion()))

/** Some life. It begins grown up to some degree, because a world in which nothing was made yet is dull. */
const life = fc.record({
  install: on,
  grown: fc.constantFrom(0, 2, 4, 14),
  steps: fc.array(fc.oneof({ weight: 8, arbitrary: commands[0]! }, ...commands, deletion), { maxLength: 40 }),
})

async function live({
  install,
  grown,
  steps,
}: {
  install: boolean
  grown: number
  steps: readonly Command[]
}) {
  const world = new World(install)
  const replicas = [new Replica('a', world), new Replica('b', world)] as const
  for (const replica of replicas) replica.start()
  if (grown > 0) world.leader = replicas[0]
  if (grown > 0) replicas[0].tell({ type: 'leadership.gained' })
  for (let round = 0; round < grown; round++) {
    if (world.virtualCluster) world.virtualCluster.synced = true
    for (const replica of replicas) replica.look()
    await flush()
  }
  for (const step of steps) {
    step(world, replicas)
    await flush()
    for (const replica of replicas) expectEarned(replica)
    if (world.violations.length > 0) break
  }
  expect(world.violations).toEqual([])
  return { world, replicas }
}

/** The test's own idea of ready, from what it showed: not from what the machine remembers. */
function expectEarned({ state, told }: Replica): void {
  if (state !== 'ready') return
  expect(told.credentials).toMatchObject({ credentials: { ok: true } })
  expect(told.controlPlane).toMatchObject({ controlPlane: { ok: true }, aggregatedApi: { ok: true } })
  expect(told.virtualCluster).toMatchObject({ virtualCluster: { verdict: { holds: true } } })
  expect(told.index).not.toMatchObject({ index: { ok: false } })
  expect(told.registration).not.toMatchObject({ registration: 'absent' })
  expect(told.duplicate).not.toHaveProperty('elder')
}

/** Everything works again, one replica leads, and it is shown everything until nothing more happens. */
async function settle(world: World, [first, second]: readonly [Replica, Replica]): Promise<void> {
  Object.assign(world, {
    secret: true,
    reachable: true,
    aggregated: true,
    elder: false,
    moving: true,
    host: 'up',
    slow: false,
  })
  world.answer()
  second.crash()
  first.start()
  world.leader = first
  first.tell({ type: 'leadership.gained' })
  for (let round = 0; round < 60; round++) {
    const before = world.writes.length
    if (world.virtualCluster) world.virtualCluster.synced = true
    first.look()
    await flush()
    first.wait()
    await flush()
    if (round > 12 && world.writes.length === before && !first.snapshot?.hasTag('acting')) break
  }
  expect(world.violations).toEqual([])
}

const runs = { numRuns: 60, interruptAfterTimeLimit: 8_000 }

describe('whatever happens, with two replicas, crashes and restarts', () => {
  it('no claim about an instance breaks, and ready is earned', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => void (await live(lived))),
      runs,
    ))

  it('an instance whose world is mended becomes ready, or is gone with everything outside if that was asked', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => {
        const { world, replicas } = await live(lived)
        const asked = world.deletionAsked || !world.cr
        await settle(world, replicas)
        if (asked) {
          expect(world.cr).toBeUndefined()
          expect(world.outside).toEqual([])
        } else {
          expect(replicas[0].state).toBe('ready')
          expect(world.outside).toEqual(expect.arrayContaining(['virtual cluster', 'registration', 'rbac']))
        }
      }),
      runs,
    ))

  it('an instance that was claimed, though whoever did it never heard so, becomes ready', async () => {
    const { world, replicas } = await live({ install: false, grown: 0, steps: [hostIs('lossy'), leads(0)] })
    await settle(world, replicas)
    expect(replicas[0].state).toBe('ready')
  })

  it('a process that starts over after that finds the same state and writes nothing', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => {
        const { world, replicas } = await live(lived)
        await settle(world, replicas)
        const [state, writes] = [replicas[0].state, world.writes.length]
        replicas[0].crash()
        await settle(world, replicas)
        if (world.cr) expect(replicas[0].state).toBe(state)
        expect(world.writes.slice(writes)).toEqual([])
      }),
      runs,
    ))

  it('each change of state has a record that says from where, to where, by what and why', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => {
        const { replicas } = await live(lived)
        for (const { transitions } of replicas) {
          for (const { from, to, event, cause } of transitions) {
            expect(from).not.toBe(to)
            for (const said of [from, to, event, cause]) expect(said).not.toBe('')
          }
        }
      }),
      { ...runs, numRuns: 20 },
    ))
})
