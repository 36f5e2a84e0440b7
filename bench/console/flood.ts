import type { Page } from 'playwright-core'
import { changeInstances, set, until } from './changes.js'
import type { ConsoleSite } from './site.js'

/** What an open list is to bear: changes a second, and for how long, seconds. */
const PER_SECOND = 1_000
const SECONDS = 20
/** Between two clicks of the reader, milliseconds. */
const BETWEEN_CLICKS_MS = 500

/** What a flood of changes costs the reader of a list. */
export interface Flood {
  readonly changes: number
  /** Of the source, to each watch of the server, and how long the writes of all took: the machine may be too slow for the rate that is wanted. */
  readonly changesPerSecond: number
  /** Messages of the server to the page's socket, and how large they were, bytes. */
  readonly messagesPerSecond: number
  readonly bytesPerSecond: number
  readonly frames: { readonly p50Ms: number; readonly p99Ms: number; readonly longestMs: number }
  /** From the input until the page has drawn what it leads to (Event Timing; steps of 8 ms). */
  readonly clicks: { readonly count: number; readonly p50Ms: number; readonly longestMs: number }
  /** Tasks of more than 50 ms of the page's main thread. */
  readonly longTasks: { readonly count: number; readonly totalMs: number; readonly longestMs: number }
  /** From the last change until the page shows it. */
  readonly lastShownMs: number
  /** Rows that are not what the fleet says afterwards (wanted: 0), of those in sight. */
  readonly wrongRows: number
  readonly rowsInSight: number
  readonly heapBeforeBytes: number
  readonly heapAfterBytes: number
}

/** Notes messages of the page's sockets as they come: DevTools would be told of each, and take time from the page for it. */
const NOTE_MESSAGES = `(() => {
  const noted = (window.noted_ = { messages: 0, bytes: 0, frames: [], tasks: [], clicks: new Map() })
  window.WebSocket = class extends WebSocket {
    constructor(...of) {
      super(...of)
      this.addEventListener('message', ({ data }) => { noted.messages += 1; noted.bytes += data.length })
    }
  }
})()`

/** Begins to record; what was recorded before is forgotten. */
const RECORD = `(() => {
  const noted = window.noted_
  Object.assign(noted, { messages: 0, bytes: 0, frames: [], tasks: [], clicks: new Map(), isOn: true })
  const next = at => { if (noted.isOn) { noted.frames.push(at); requestAnimationFrame(next) } }
  requestAnimationFrame(next)
  new PerformanceObserver(list => { for (const { duration } of list.getEntries()) noted.tasks.push(duration) }).observe({ type: 'longtask' })
  new PerformanceObserver(list => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) noted.clicks.set(interactionId, Math.max(duration, noted.clicks.get(interactionId) ?? 0))
  }).observe({ type: 'event', durationThreshold: 16 })
})()`
const RECORDED = `(() => {
  const { messages, bytes, frames, tasks, clicks } = Object.assign(window.noted_, { isOn: false })
  return { messages, bytes, frames, tasks, clicks: [...clicks.values()] }
})()`

interface Recorded {
  readonly messages: number
  readonly bytes: number
  readonly frames: readonly number[]
  readonly tasks: readonly number[]
  readonly clicks: readonly number[]
}

/**
 * A list of instances is open while they change, 1,000 times a second in all, and its reader clicks on. The changes are written to the stand-in
 * of the fleet; the server's watch, its stream and the page are the real ones.
 */
export async function flood(site: ConsoleSite, instances: number): Promise<Flood> {
  const opened = await site.open({ before: NOTE_MESSAGES })
  const { page } = opened
  const heapBeforeBytes = await opened.heapBytes()
  await page.evaluate(RECORD)
  const began = performance.now()
  let isOver = false
  const clicking = clickOn(page, () => isOver)
  const changes = PER_SECOND * SECONDS
  const versionOf = (change: number) => `v1.36.${change}`
  await changeInstances(site, { instances, changes, perSecond: PER_SECOND, versionOf })
  const seconds = (performance.now() - began) / 1_000
  isOver = true
  await clicking
  const last = performance.now()
  set(site, 0, 'v9.9.9')
  await page.getByText('v9.9.9').first().waitFor()
  const lastShownMs = Math.round(performance.now() - last)
  const { messages, bytes, frames, tasks, clicks } = await page.evaluate<Recorded>(RECORDED)
  const gaps = sorted(frames.slice(1).map((at, index) => at - (frames[index] ?? at)))
  const answers = sorted(clicks)
  const perSecond = (count: number) => Math.round(count / seconds)
  const figures: Flood = {
    changes,
    changesPerSecond: perSecond(changes),
    messagesPerSecond: perSecond(messages),
    bytesPerSecond: perSecond(bytes),
    frames: { p50Ms: at(gaps, 0.5), p99Ms: at(gaps, 0.99), longestMs: at(gaps, 1) },
    clicks: { count: answers.length, p50Ms: at(answers, 0.5), longestMs: at(answers, 1) },
    longTasks: {
      count: tasks.length,
      totalMs: Math.round(tasks.reduce((sum, ms) => sum + ms, 0)),
      longestMs: at(sorted(tasks), 1),
    },
    lastShownMs,
    ...(await compareRows(site, page)),
    heapBeforeBytes,
    heapAfterBytes: await opened.heapBytes(),
  }
  await opened.close()
  return figures
}

/** From cards to the table and back, until it is over. It ends with the table, whose rows are looked at then. */
async function clickOn(page: Page, isOver: () => boolean): Promise<void> {
  for (const name of alternating('Table', 'Cards')) {
    const began = performance.now()
    await page
      .locator('main label')
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click()
    await page
      .getByRole('table')
      .first()
      .waitFor({ state: name === 'Table' ? 'visible' : 'detached' })
    if (isOver() && name === 'Table') return
    await until(began + BETWEEN_CLICKS_MS)
  }
}

function* alternating<T>(one: T, other: T): Generator<T, void> {
  for (;;) {
    yield one
    yield other
  }
}

/** Looks at each row in sight whether it has the version that the fleet says. */
async function compareRows(site: ConsoleSite, page: Page) {
  const rows = await page.getByRole('row').filter({ hasText: 'instance-' }).allInnerTexts()
  const wrong = rows.filter(text => {
    const name = /instance-\d+/.exec(text)?.[0] ?? ''
    const version = site.fleet.get(name)?.kubernetesVersion
    return version === undefined || !text.includes(version)
  })
  return { wrongRows: wrong.length, rowsInSight: rows.length }
}

const sorted = (values: readonly number[]) => [...values].sort((one, other) => one - other)

/** The value that so large a part of them is not above, rounded to a tenth. */
function at(values: readonly number[], part: number): number {
  const value = values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
  return Math.round(value * 10) / 10
}
