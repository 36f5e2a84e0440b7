import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Replica } from './replica.js'
import { type HostType, type Sight, sights, World } from './world.js'

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
const endpointIs = (is: World['endpoint']) =>
  does(`endpoint ${is}`, world => Object.assign(world, { endpoint: is }))
const hostIs = (is: World['host']) => does(`host ${is}`, world => Object.assign(world, { host: is }))

const unknown = (type: HostType) => does(`the host does not know ${type}`, world => world.serve(type, false))
const shown = (kind: Sight) => does(`show 0 ${kind}`, (_, all) => all[0].show(kind))

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
  on.map(is => does(`older instance ${is}`, world => Object.assign(world, { older: is }))),
  on.map(is =>
    does(`synced ${is}`, world => {
      if (world.virtualCluster) world.virtualCluster.synced = is
    }),
  ),
  fc.constantFrom('up', 'down', 'lossy').map(hostIs),
  fc
    .constantFrom('virtualCluster', 'registration')
    .map(what => does(`the ${what} is deleted`, world => Object.assign(world, { [what]: undefined }))),
  which.map(i => does(`contact lost ${i}`, (_, all) => all[i].loseContact())),
  fc.constantFrom('karmada', 'plain', 'gone').map(is => endpointIs(is)),
  on.map(is => does(`the kubeconfig is an alias ${is}`, world => Object.assign(world, { alias: is }))),
  fc
    .tuple(fc.constantFrom('virtualCluster', 'registration'), on)
    .map(([type, is]) => does(`the host knows ${type} ${is}`, world => world.serve(type, is))),
  fc.constant(does('late requests are executed', world => world.executeLate())),
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

/** The test's own idea of ready, from what it showed: not from what the machine has in its context. */
function expectEarned({ state, told }: Replica): void {
  if (state !== 'ready') return
  expect(told.credentials).toMatchObject({ credentials: { ok: true } })
  expect(told.controlPlane).toMatchObject({ controlPlane: { ok: true }, aggregatedApi: { ok: true } })
  expect(told.virtualCluster).toMatchObject({ virtualCluster: { verdict: { holds: true } } })
  expect(told.registration).toMatchObject({ type: 'registration.observed' })
  expect(told.index).not.toMatchObject({ index: { ok: false } })
  expect(told.registration).not.toMatchObject({ registration: 'absent' })
  expect(told.duplicate).not.toHaveProperty('first')
}

/** Everything works again, one replica leads, and it is shown everything until nothing more happens. */
async function settle(world: World, replicas: readonly [Replica, Replica]): Promise<void> {
  Object.assign(world, {
    secret: true,
    reachable: true,
    aggregated: true,
    endpoint: 'karmada',
    alias: false,
    older: false,
    moving: true,
  })
  for (const type of ['virtualCluster', 'registration'] as const) world.serve(type, true)
  await work(world, replicas)
}

/** The host answers, one replica leads, and it is shown everything until nothing more happens. Whatever else is broken stays so. */
async function work(world: World, [first, second]: readonly [Replica, Replica]): Promise<void> {
  Object.assign(world, { host: 'up', slow: false })
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
    world.executeLate()
    if (round > 30 && world.writes.length === before && !first.snapshot?.hasTag('acting')) break
  }
  expect(world.violations).toEqual([])
}

const runs = { numRuns: 60, interruptAfterTimeLimit: 8_000 }

describe('under random events, with two replicas, crashes and restarts', () => {
  it('no invariant of an instance breaks, and ready is earned', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => void (await live(lived))),
      runs,
    ))

  it('an instance whose faults end becomes ready, or is gone with its external objects if it was deleted', () =>
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

  it('an instance becomes ready even when the answer to its finalizer’s write was lost', async () => {
    const { world, replicas } = await live({ install: false, grown: 0, steps: [hostIs('lossy'), leads(0)] })
    await settle(world, replicas)
    expect(replicas[0].state).toBe('ready')
  })

  it('a deletion ends under permanent faults, and names the leftovers', () =>
    fc.assert(
      fc.asyncProperty(life, async lived => {
        const { world, replicas } = await live(lived)
        world.askDeletion()
        await work(world, replicas)
        expect(world.cr).toBeUndefined()
        const left = world.rbac && world.rbacAbandoned
        if (left) expect(world.leftBehind?.join()).toMatch(/were left inside/)
        expect(world.outside).toEqual([])
      }),
      {
        ...runs,
        examples: [
          [{ install: false, grown: 14, steps: [endpointIs('gone')] }],
          [{ install: false, grown: 14, steps: [unknown('virtualCluster')] }],
          [{ install: true, grown: 14, steps: [unknown('virtualCluster'), unknown('registration')] }],
        ],
      },
    ))

  it('a kubeconfig that is replaced by one for another Instance’s control plane is never published', async () => {
    const swapped = does('swapped', world => Object.assign(world, { alias: true }))
    const { replicas } = await live({
      install: false,
      grown: 14,
      steps: [swapped, ...(['credentials', 'controlPlane', 'duplicate'] as const).map(shown)],
    })
    expect(replicas[0].state).toBe('degraded')
  })

  it('a plain cluster is not changed', async () => {
    const { world, replicas } = await live({
      install: false,
      grown: 0,
      steps: [endpointIs('plain'), leads(0)],
    })
    await work(world, replicas)
    expect(world.outside).toEqual([])
    expect(replicas[0].state).toBe('registering')
  })

  it('an object that is created after its deletion was confirmed does not stay', async () => {
    const steps = [
      does('slow', world => Object.assign(world, { slow: true })),
      does('the registration is removed', world => Object.assign(world, { registration: undefined })),
      shown('registration'),
      does('deletion', world => world.askDeletion()),
      shown('cr'),
      does('fast', world => Object.assign(world, { slow: false })),
      does('answers', world => world.answer()),
    ]
    const { world, replicas } = await live({ install: false, grown: 14, steps })
    for (let round = 0; round < 8; round++) {
      replicas[0].look()
      await flush()
      replicas[0].wait()
      await flush()
    }
    expect(world.cr).toBeUndefined()
    expect(world.pendingLate).toEqual(['publish the registration'])
    world.executeLate()
    expect(world.registration).toBeUndefined()
  })

  it('a restarted process reaches the same state and writes nothing', () =>
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

  it('each transition has a record with its source, target, event and cause', () =>
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
