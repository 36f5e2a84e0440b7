import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dice } from '../dice.js'
import { Election, type Replica, type ReplicaPlan, type Weather } from './election.js'

type IncidentKind =
  | 'crash'
  | 'restart'
  | 'release'
  | 'cut'
  | 'mend'
  | 'freeze'
  | 'thaw'
  | 'sleep'
  | 'wake'
  | 'clock forward'
  | 'clock back'
  | 'label'

const calm = { delay: 20, loss: 0, random: () => 0.5 }
const exact: ReplicaPlan = { rate: 1, offset: 0 }

interface Incident {
  readonly at: number
  readonly replica: number
  readonly kind: IncidentKind
}
type Sky = Pick<Weather, 'delay' | 'loss'> & { readonly seed: number }

const incident: Record<IncidentKind, (replica: Replica, world: Election) => void> = {
  crash: replica => replica.crash(),
  restart: replica => replica.start(),
  release: replica => replica.release(),
  cut: replica => {
    replica.cut = true
  },
  mend: replica => {
    replica.cut = false
  },
  freeze: replica => replica.freeze(),
  thaw: replica => replica.thaw(),
  sleep: (replica, world) => {
    replica.sleep()
    world.at(world.now + 40_000, () => replica.wake())
  },
  wake: replica => replica.wake(),
  'clock forward': replica => replica.setWallClock(3_600_000),
  'clock back': replica => replica.setWallClock(-3_600_000),
  label: (_, world) => {
    const lease = world.read()
    const annotations = { at: String(world.now) }
    if (lease !== 'absent') world.write({ ...lease, metadata: { ...lease.metadata, annotations } })
  },
}
const happen = (world: Election, { replica, kind }: Omit<Incident, 'at'>): void =>
  incident[kind](world.replicas[replica % world.replicas.length]!, world)

/** Clocks wrong by up to a tenth, as the chart's header allows for. */
const plans = fc.array(
  fc.record({
    rate: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
    offset: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  }),
  { minLength: 2, maxLength: 4 },
)
const incidents = fc.array(
  fc.record({
    at: fc.nat(120_000),
    replica: fc.nat(3),
    kind: fc.constantFrom(...(Object.keys(incident) as IncidentKind[])),
  }),
  { maxLength: 30 },
)
const weather = fc.record({
  delay: fc.constantFrom(5, 100, 1500, 8000, 30_000),
  loss: fc.constantFrom(0, 0.1, 0.5),
  seed: fc.integer(),
})

/** Found once: a replica that died while it gave the lease back. */
const diesWhileGivingBack: [ReplicaPlan[], Incident[], Sky] = [
  [
    { rate: 0.9, offset: 0 },
    { rate: 0.9, offset: 0 },
  ],
  [{ at: 118_775, replica: 0, kind: 'release' }],
  { delay: 1_500, loss: 0, seed: -579_907_784 },
]

describe('under any faults of networks, clocks and processes', () => {
  it('at most one replica leads, and one leads soon after the faults end', () => {
    fc.assert(
      fc.property(plans, incidents, weather, (replicas, happening, { seed, ...sky }) => {
        const world = new Election(replicas, { ...sky, random: dice(seed) })
        for (const each of happening) world.at(each.at, () => happen(world, each))
        world.runUntil(120_000)
        world.weather = { delay: 50, loss: 0, random: dice(seed) }
        for (const replica of world.replicas) {
          replica.cut = false
          replica.wake()
          replica.thaw()
        }
        const last = world.replicas[0]!
        last.crash()
        last.start()
        // The longest request of the storm, a lease that a slow clock counts out, and a few tries.
        world.runUntil(120_000 + 60_000 + 20_000 + 10_000)
        expect(world.violations).toEqual([])
        expect(world.leaders()).toHaveLength(1)
      }),
      { numRuns: 150, examples: [diesWhileGivingBack] },
    )
  })

  it('two leaders appear when clocks are wrong by more than the lease arithmetic allows', () => {
    // A fast follower sees 15 s pass while the slow leader's clock shows less than 10.
    const world = new Election(
      [
        { rate: 0.6, offset: 0 },
        { rate: 1.1, offset: 0 },
      ],
      calm,
    )
    world.runUntil(5_000)
    const [slow] = world.replicas
    expect(world.leaders()).toEqual([slow])
    slow!.cut = true
    world.runUntil(60_000)
    expect(world.violations).not.toEqual([])
  })
})

describe('on a healthy network', () => {
  /** Two replicas, the first one leading since a while, its last renewal some time ago. */
  const settled = (): Election => {
    const world = new Election([exact, exact], calm)
    world.runUntil(61_000)
    expect(world.leaders()).toEqual([world.replicas[0]])
    return world
  }
  const takeover = (world: Election, since: number) => world.terms.at(-1)!.from - since

  it('one leader keeps leading', () => {
    const world = settled()
    world.runUntil(3_600_000)
    expect(world.terms).toHaveLength(1)
  })

  it('a takeover after a crash takes the lease duration', () => {
    const world = settled()
    world.replicas[0]!.crash()
    world.runUntil(120_000)
    expect(world.leaders()).toEqual([world.replicas[1]])
    expect(takeover(world, 61_000)).toBeLessThan(15_000 + 2_000)
  })

  it('a takeover after a graceful stop takes a few round trips', () => {
    const world = settled()
    world.replicas[0]!.release()
    world.runUntil(62_000)
    expect(world.leaders()).toEqual([world.replicas[1]])
    expect(takeover(world, 61_000)).toBeLessThan(200)
  })

  it('a leader that is cut off stops acting before another starts', () => {
    const world = settled()
    world.replicas[0]!.cut = true
    world.runUntil(71_000)
    expect(world.leaders()).toEqual([])
    world.runUntil(90_000)
    expect(world.leaders()).toEqual([world.replicas[1]])
    world.replicas[0]!.cut = false
    world.runUntil(200_000)
    expect(world.leaders()).toEqual([world.replicas[1]])
  })

  it('labels that others set on the lease have no effect', () => {
    const world = settled()
    for (let at = 61_500; at < 300_000; at += 1_700)
      world.at(at, () => happen(world, { replica: 0, kind: 'label' }))
    world.runUntil(300_000)
    expect(world.terms).toHaveLength(1)
  })

  it.each([
    ['a moment', 1_000, 0],
    ['past its term', 10_500, 1],
  ])(
    'a leader whose machine sleeps %s leads again, and no other replica leads in between',
    (_, ms, interruptions) => {
      const world = settled()
      const [sleeper] = world.replicas
      sleeper!.sleep()
      world.runUntil(61_000 + ms)
      sleeper!.wake()
      expect(world.leaders()).toEqual(interruptions ? [] : [sleeper])
      world.runUntil(61_000 + ms + 3_000)
      expect(world.leaders()).toEqual([sleeper])
      expect(world.terms).toHaveLength(1)
    },
  )

  it('a leader whose machine sleeps while another replica takes over does not act when it wakes', () => {
    const world = settled()
    const [sleeper, other] = world.replicas
    sleeper!.sleep()
    world.runUntil(121_000)
    expect(world.leaders()).toEqual([other])
    sleeper!.wake()
    world.runUntil(240_000)
    expect(world.violations).toEqual([])
    expect(world.leaders()).toEqual([other])
  })
})
