import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Canary, type Sent } from '../../../actors/index/canary.js'
import type { IndexFreshness } from '../../../ports/instance-index.js'
import { ManualClock } from '../manual-clock.js'

const INTERVAL_MS = 30_000
const PATIENCE_MS = 10_000

/** An instance, its index, and a canary between them; time passes when told. */
class Sky {
  readonly clock = new ManualClock()
  readonly #landed = new AbortController()
  readonly figures: IndexFreshness[] = []
  /** Judgements in a word each. */
  readonly judged: string[] = []
  readonly failures: unknown[] = []
  /** What was asked, in order. */
  readonly asked: string[] = []
  /** Versions of the canary in the instance and in its index; '' where it is not. */
  inside = ''
  indexed = ''
  /** The index takes in what is written, after so long. */
  lagMs = 0
  moving = true
  leading = true
  unreadable: string | undefined
  refused: string | undefined
  forbidden: string | undefined
  /** How many turns it waited for, and until when the next one waits. */
  turns = 0
  held: Promise<void> | undefined
  unreachable = false
  #versions = 100

  constructor(dice = 0) {
    const canary = new Canary({
      clock: this.clock,
      random: () => dice,
      intervalMs: INTERVAL_MS,
      patienceMs: PATIENCE_MS,
      turn: async () => {
        this.turns += 1
        await this.held
      },
      send: async () => this.#send(),
      read: async () => this.#read(),
      look: async () => {
        this.asked.push('look')
        if (this.unreadable) throw new Error(this.unreadable)
        if (this.forbidden) return { impossible: this.forbidden }
        return this.indexed ? { version: this.indexed } : undefined
      },
      measured: figure => this.figures.push(figure),
      judged: index => this.judged.push(index.ok ? (index.unmeasured ?? 'moves') : index.failure.message),
      failed: error => this.failures.push(error),
    })
    void canary.run(this.#landed.signal)
  }

  get last(): IndexFreshness | undefined {
    return this.figures.at(-1)
  }

  /** Somebody writes the canary. */
  write(): string {
    this.inside = String(++this.#versions)
    const version = this.inside
    this.clock.setTimeout(() => this.#arrive(version), this.lagMs)
    return version
  }
  takeAway(): void {
    this.inside = ''
    this.indexed = ''
  }
  /** The index takes in all that it missed. */
  move(): void {
    this.moving = true
    this.indexed = this.inside
  }
  land(): void {
    this.#landed.abort()
  }

  /** Time passes in steps small enough for answers to come in between. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 25) {
      this.clock.advance(25)
      for (let turn = 0; turn < 8; turn++) await Promise.resolve()
    }
  }

  #arrive(version: string): void {
    if (this.moving) this.indexed = version
  }
  #send(): Sent {
    if (this.refused) return { impossible: this.refused }
    if (!this.leading) {
      const version = this.#read()
      return version === undefined ? undefined : { version }
    }
    this.asked.push('write')
    if (this.unreachable) throw new Error('no route')
    const writtenAfter = this.clock.now()
    return { version: this.write(), writtenAfter }
  }
  #read(): string | undefined {
    this.asked.push('read')
    if (this.unreachable) throw new Error('no route')
    return this.inside || undefined
  }
}

let sky: Sky
beforeEach(() => {
  sky = new Sky()
})
afterEach(() => sky.land())

const stands = expect.stringContaining('does not show in the index')

describe('a healthy index', () => {
  it('costs one write and one read per canary, and reports one verdict', async () => {
    await sky.pass(2 * INTERVAL_MS)
    expect(sky.asked.length).toBeGreaterThanOrEqual(6)
    expect(sky.asked).toEqual(sky.asked.map((_, index) => (index % 2 === 0 ? 'write' : 'look')))
    expect(sky.judged).toEqual(['moves'])
    expect(sky.last).toMatchObject({ state: 'current', lagMs: 25 })
  })

  it.each([
    [0, 25],
    [60, 75],
    [400, 775],
    [3_000, 3_175],
  ])(
    'with a lag of %i ms is measured at %i ms: never less, and at most about twice as much',
    async (lagMs, measured) => {
      sky.lagMs = lagMs
      await sky.pass(9_000)
      expect(sky.last).toMatchObject({ state: 'current', lagMs: measured })
    },
  )

  it('is compared by number, not by text: 1000 is newer than 999', async () => {
    for (let at = 0; at < 899; at++) sky.write()
    sky.indexed = '999'
    sky.moving = false
    await sky.pass(PATIENCE_MS + 1_000)
    expect(sky.judged).toEqual([stands])
  })

  it('is first measured at a random time within ten seconds, so that a fleet does not send all at once', async () => {
    sky.land()
    sky = new Sky(0.9)
    await sky.pass(8_900)
    expect(sky.asked).toEqual([])
    await sky.pass(200)
    expect(sky.asked).toEqual(['write', 'look'])
  })
})

describe('a stalled index', () => {
  beforeEach(async () => {
    await sky.pass(1_000)
    sky.moving = false
  })

  it('is reported after the configured patience, and not before', async () => {
    await sky.pass(14_000 + PATIENCE_MS - 500)
    expect(sky.judged).toEqual(['moves'])
    await sky.pass(2_000)
    expect(sky.judged).toEqual(['moves', stands])
  })

  it('is reported once; while its lag grows it gets no writes and fewer reads', async () => {
    await sky.pass(INTERVAL_MS + PATIENCE_MS)
    const [judgements, figures, writes] = [
      sky.judged.length,
      sky.figures.length,
      sky.asked.filter(one => one === 'write').length,
    ]
    const lag = () => (sky.last?.state === 'stalled' ? sky.last.lagMs : 0)
    const before = lag()
    sky.asked.length = 0
    await sky.pass(10 * INTERVAL_MS)
    expect(sky.judged).toHaveLength(judgements)
    expect(sky.figures.length).toBeGreaterThan(figures)
    expect(lag()).toBeGreaterThan(before + 8 * INTERVAL_MS)
    expect(writes).toBe(2)
    expect(sky.asked).not.toContain('write')
    // Jitter takes up to half of a pause.
    expect(sky.asked.filter(one => one === 'look').length).toBeLessThanOrEqual(21)
  })

  it('is in service again only after a canary that is written later arrives in time', async () => {
    await sky.pass(2 * INTERVAL_MS)
    expect(sky.last).toMatchObject({ state: 'stalled' })
    sky.move()
    sky.lagMs = PATIENCE_MS + 5_000
    await sky.pass(3 * INTERVAL_MS)
    expect(sky.judged).toEqual(['moves', stands])
    expect(sky.last).toMatchObject({ state: 'stalled' })
    sky.lagMs = 0
    await sky.pass(2 * INTERVAL_MS)
    expect(sky.judged).toEqual(['moves', stands, 'moves'])
    expect(sky.last).toMatchObject({ state: 'current', lagMs: 25 })
  })

  it('that cannot be read at all is reported with that reason', async () => {
    sky.move()
    sky.unreadable = 'GET /apis/clusterpedia.io: 503 service unavailable'
    await sky.pass(2 * INTERVAL_MS)
    const because = expect.stringContaining('503 service unavailable')
    expect(sky.judged).toEqual(['moves', because])
    expect(sky.last).toMatchObject({ state: 'stalled', because })
  })

  it('is not reported for a canary that was deleted in the instance; the next one is created again', async () => {
    await sky.pass(INTERVAL_MS / 2)
    sky.takeAway()
    sky.moving = true
    await sky.pass(INTERVAL_MS)
    expect(sky.inside).not.toBe('')
    expect(sky.judged).toEqual(['moves'])
  })

  it('is not reported while the instance does not answer', async () => {
    await sky.pass(INTERVAL_MS / 2)
    sky.unreachable = true
    await sky.pass(2 * INTERVAL_MS)
    expect(sky.judged).toEqual(['moves'])
    expect(sky.failures).not.toEqual([])
  })
})

describe('the turns of a canary', () => {
  it('are one for each canary, and none for its looks while it may still show in time', async () => {
    sky.lagMs = 3_000
    await sky.pass(INTERVAL_MS / 2)
    expect(sky.asked.filter(one => one === 'look').length).toBeGreaterThan(2)
    expect(sky.turns).toBe(1)
  })

  it('delay the canary and not the figure: an index is measured from the write on', async () => {
    let release = (): void => undefined
    sky.held = new Promise(resolve => {
      release = resolve
    })
    await sky.pass(INTERVAL_MS)
    expect(sky.asked).toEqual([])
    release()
    await sky.pass(1_000)
    expect(sky.judged).toEqual(['moves'])
    expect(sky.last).toMatchObject({ state: 'current', lagMs: 25 })
  })

  it('are one for each look into an index that is stalled', async () => {
    sky.moving = false
    await sky.pass(INTERVAL_MS)
    expect(sky.judged).toEqual([stands])
    const [turns, looks] = [sky.turns, sky.asked.filter(one => one === 'look').length]
    sky.held = new Promise(() => undefined)
    await sky.pass(4 * INTERVAL_MS)
    expect(sky.turns - turns).toBe(1)
    expect(sky.asked.filter(one => one === 'look')).toHaveLength(looks)
  })
})

it('a figure says since when the index shows everything, which is from before the canary was written', async () => {
  sky.lagMs = 60
  await sky.pass(9_000)
  const { last } = sky
  if (last?.state !== 'current') throw new Error('nothing was measured')
  expect(Date.parse(last.measuredAt) - Date.parse(last.writtenAfter ?? '')).toBe(last.lagMs)
})

describe('a replica that does not lead', () => {
  beforeEach(() => {
    sky.leading = false
  })

  it('never writes, and measures the leader’s canaries', async () => {
    await sky.pass(INTERVAL_MS)
    expect(sky.last).toBeUndefined()
    for (let beat = 0; beat < 4; beat++) {
      sky.write()
      await sky.pass(INTERVAL_MS)
    }
    expect(sky.asked).not.toContain('write')
    expect(sky.judged).toEqual(['moves'])
    sky.moving = false
    sky.write()
    await sky.pass(2 * INTERVAL_MS)
    expect(sky.judged).toEqual(['moves', stands])
  })

  it('does not measure a canary twice', async () => {
    sky.write()
    await sky.pass(INTERVAL_MS)
    const figures = sky.figures.length
    await sky.pass(4 * INTERVAL_MS)
    expect(sky.figures).toHaveLength(figures)
    expect(sky.asked.filter(one => one === 'look')).toHaveLength(1)
  })

  it('that starts to lead writes at its next interval, to avoid a burst over the fleet', async () => {
    sky.write()
    await sky.pass(1_000)
    sky.leading = true
    const before = sky.asked.length
    await sky.pass(INTERVAL_MS / 2 - 1_500)
    expect(sky.asked.slice(before)).toEqual([])
    await sky.pass(INTERVAL_MS)
    expect(sky.asked.slice(before)).toContain('write')
    expect(sky.judged).toEqual(['moves'])
  })
})

it('an index that cannot be measured is reported, and is measured once that is over', async () => {
  sky.refused = 'ConfigMaps are not indexed'
  await sky.pass(2 * INTERVAL_MS)
  expect(sky.judged).toEqual(['ConfigMaps are not indexed'])
  expect(sky.last).toEqual({ state: 'unknown' })
  sky.refused = undefined
  await sky.pass(INTERVAL_MS)
  expect(sky.judged).toEqual(['ConfigMaps are not indexed', 'moves'])
})

it('an index that refuses our reads is not reported as stalled', async () => {
  sky.forbidden = 'resources.clusterpedia.io is forbidden'
  await sky.pass(2 * INTERVAL_MS)
  expect(sky.judged).toEqual(['resources.clusterpedia.io is forbidden'])
  expect(sky.last).toEqual({ state: 'unknown' })
})

it('a control plane that refuses the canary leaves its index unmeasured, and is retried', async () => {
  sky.unreachable = true
  await sky.pass(2 * INTERVAL_MS)
  expect(sky.figures).toEqual([])
  expect(sky.failures.length).toBeGreaterThanOrEqual(2)
  sky.unreachable = false
  await sky.pass(INTERVAL_MS)
  expect(sky.judged).toEqual(['moves'])
})

it('a canary that arrived leaves no timer, and sends no more requests', async () => {
  await sky.pass(1_000)
  sky.land()
  await sky.pass(25)
  const asked = sky.asked.length
  expect(sky.clock.pending).toBe(0)
  await sky.pass(2 * INTERVAL_MS)
  expect(sky.asked).toHaveLength(asked)
})
