import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActor } from 'xstate'
import { measureIndex } from '../../../actors/index/index-canary.js'
import { MeasuredFreshness } from '../../../actors/index/measured-freshness.js'
import { AskingBudget } from '../../../actors/instance/asking-budget.js'
import type { InstanceDependencies } from '../../../actors/instance/dependencies.js'
import { RecentUse } from '../../../actors/instance/recent-use.js'
import { CONFIG_MAPS, INDEX_CANARY, indexedCanaryPath } from '../../../manifests/index-canary.js'
import { resourcePath } from '../../../manifests/kube.js'
import { silent, unmetered } from '../../silent.js'
import { scriptedApi } from '../scripted-api.js'

const PATH = resourcePath(CONFIG_MAPS, INDEX_CANARY)
const INTERVAL_MS = 30_000
const READ = `GET ${PATH}`
const WRITE = `PATCH ${PATH}`

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  vi.useRealTimers()
})

/** An instance with its canary, and an index that shows each version at once. */
class Eu {
  version = 0
  moving = true
  indexed = 0
  readonly inside = scriptedApi()
  readonly host = scriptedApi()
  constructor() {
    const canary = (version: number) =>
      version > 0 ? { metadata: { resourceVersion: `${version}` } } : undefined
    this.inside.script = ({ method, contentType }) => {
      if (method === 'PATCH' && (this.version > 0 || contentType?.includes('apply'))) this.write()
      return canary(this.version)
    }
    this.host.script = ({ path }) => (path === indexedCanaryPath('eu') ? canary(this.indexed) : undefined)
  }
  /** Some replica writes it. */
  write(): void {
    this.version += 1
    if (this.moving) this.indexed = this.version
  }
  remove(): void {
    this.version = 0
  }
  get writes() {
    return this.inside.requests.filter(({ method }) => method === 'PATCH')
  }
}

/** A replica that measures the index, in a fleet of so many. */
function replica(eu: Eu, { leading = false, fleet = 1_000 } = {}) {
  const [indexUse, freshness] = [new RecentUse(() => true), new MeasuredFreshness()]
  const asking = new AskingBudget(
    () => fleet,
    () => () => 0,
  )
  const dependencies = {
    ...{
      asking,
      freshness,
      indexUse,
      meter: unmetered,
      log: silent,
      random: () => 0,
      canaryWrites: new Map(),
    },
    host: { api: eu.host, instances: { get: () => ({ spec: {} }) } },
    connectionOf: () => ({ current: { api: eu.inside } }),
    paces: { indexCanaryIntervalMs: INTERVAL_MS, indexCanaryPatienceMs: 10_000 },
    startupBurst: { over: async () => undefined },
    leadership: () => ({ leading, signal: new AbortController().signal }),
  } as unknown as InstanceDependencies
  const actor = createActor(measureIndex(dependencies), { input: { name: 'eu' } }).start()
  stops.push(() => actor.stop())
  /** So many indexes of others wait to be measured, which nobody reads. */
  const others = (count: number): void => {
    for (let index = 0; index < count; index++)
      void asking.turn(new AbortController().signal, 'index at rest')
  }
  return { indexUse, freshness, others }
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('an index that no caller reads', () => {
  it('is written to when its turn among all of them comes, and is measured', async () => {
    const eu = new Eu()
    const { others, freshness } = replica(eu, { leading: true })
    others(600)
    await pass(595_000)
    expect(eu.writes).toHaveLength(0)
    await pass(10_000)
    expect(eu.writes).toHaveLength(1)
    expect(freshness.of('eu')).toMatchObject({ state: 'current' })
  })

  it('is measured at once when a caller reads it, and at each interval while callers do', async () => {
    const eu = new Eu()
    const { others, freshness, indexUse } = replica(eu, { leading: true })
    others(600)
    await pass(100_000)
    indexUse.note('eu')
    await pass(100)
    expect(freshness.of('eu')).toMatchObject({ state: 'current', lagMs: 25 })
    await pass(4 * INTERVAL_MS)
    expect(eu.writes.length).toBeGreaterThanOrEqual(5)
  })

  it('is looked at soon again once it was found to be stalled, however many others wait', async () => {
    const eu = new Eu()
    const { others, freshness } = replica(eu, { leading: true })
    eu.moving = false
    await pass(INTERVAL_MS)
    expect(freshness.of('eu')).toMatchObject({ state: 'stalled' })
    others(600)
    eu.moving = true
    eu.indexed = eu.version
    await pass(2 * INTERVAL_MS)
    expect(freshness.of('eu')).toMatchObject({ state: 'current' })
  })
})

describe('a replica that does not lead', () => {
  it('writes nothing while no caller reads the index, and measures what the leader wrote', async () => {
    const eu = new Eu()
    const { freshness } = replica(eu)
    for (let beat = 0; beat < 10; beat++) {
      eu.write()
      await pass(INTERVAL_MS)
    }
    expect(eu.writes).toHaveLength(0)
    expect(freshness.of('eu')).toMatchObject({ state: 'current' })
  })

  it('writes nothing while another replica writes at the interval, although callers read the index', async () => {
    const eu = new Eu()
    const { indexUse } = replica(eu)
    eu.write()
    await pass(INTERVAL_MS)
    for (let beat = 0; beat < 20; beat++) {
      eu.write()
      indexUse.note('eu')
      await pass(INTERVAL_MS / 3)
    }
    expect(eu.writes).toHaveLength(0)
  })

  it('writes the canary anew where callers read the index and it is old', async () => {
    const eu = new Eu()
    const { freshness, indexUse } = replica(eu)
    eu.write()
    await pass(INTERVAL_MS)
    await pass(10 * INTERVAL_MS)
    expect(eu.writes).toHaveLength(0)
    indexUse.note('eu')
    await pass(INTERVAL_MS)
    expect(eu.writes.length).toBeGreaterThanOrEqual(1)
    const measured = freshness.of('eu')
    if (measured.state !== 'current') throw new Error(`it is ${measured.state}`)
    expect(Date.parse(measured.measuredAt) - Date.parse(measured.writtenAfter ?? '')).toBeLessThan(1_000)
  })

  it('does not measure by a canary that was written long ago, where callers read the index', async () => {
    const eu = new Eu()
    const { others, freshness, indexUse } = replica(eu)
    eu.write()
    await pass(INTERVAL_MS)
    // The next look waits for its turn, and the leader writes once meanwhile.
    others(600)
    await pass(INTERVAL_MS)
    eu.write()
    await pass(10 * INTERVAL_MS)
    indexUse.note('eu')
    const at = Date.now()
    await pass(1_000)
    const measured = freshness.of('eu')
    if (measured.state !== 'current') throw new Error(`it is ${measured.state}`)
    expect(Date.parse(measured.writtenAfter ?? '')).toBeGreaterThanOrEqual(at)
  })

  it('says of a canary that it found that it was written after it had looked before', async () => {
    const eu = new Eu()
    const { freshness } = replica(eu)
    eu.write()
    await pass(INTERVAL_MS / 4)
    expect(freshness.of('eu')).not.toHaveProperty('writtenAfter')
    const written = Date.now()
    eu.write()
    await pass(INTERVAL_MS)
    const measured = freshness.of('eu')
    if (measured.state !== 'current') throw new Error(`it is ${measured.state}`)
    expect(Date.parse(measured.writtenAfter ?? '')).toBeLessThanOrEqual(written)
    expect(Date.parse(measured.writtenAfter ?? '')).toBeGreaterThan(written - INTERVAL_MS)
  })

  it('never creates the canary, which the leader may have deleted with its instance', async () => {
    const eu = new Eu()
    const { indexUse } = replica(eu)
    eu.write()
    await pass(INTERVAL_MS)
    indexUse.note('eu')
    // It is there when it is read, and gone when it is written.
    const { script } = eu.inside
    eu.inside.script = request => {
      if (request.method === 'PATCH') eu.remove()
      return script(request)
    }
    await pass(2 * INTERVAL_MS)
    expect(eu.inside.lines).toContain(WRITE)
    expect(eu.version).toBe(0)
    expect(eu.inside.lines.slice(-1)).toEqual([READ])
  })
})
