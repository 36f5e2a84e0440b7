import type { WebSocketRoute } from 'playwright-core'
import { StandInList } from '../../test/scenarios/support/stand-in-list.js'
import { type ConsoleSite, nameOf } from './site.js'

/** How long each way of scrolling takes, milliseconds. */
const SCROLLING_MS = 10_000
/** An answer is on its way for so long, as from an index on another machine, milliseconds. */
const ANSWER_MS = 30
/** Objects that change each second, anywhere in the list. */
const CHANGES_PER_SECOND = 20
/** A frame of a display that has sixty a second, milliseconds. */
const FRAME_MS = 1_000 / 60

/** What scrolling costs. */
export interface Scrolling {
  readonly how: 'wheel' | 'jumps'
  readonly rows: number
  readonly frames: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly longestMs: number
  /** Frames that a display of 60 Hz would have shown in the time and the page did not draw, of a hundred. */
  readonly droppedPercent: number
  /** CPU of the page's main thread for each frame, and of that of scripts: 16.7 are there at 60 Hz, also where others use the machine. */
  readonly workMs: number
  readonly scriptMs: number
  /** Pages that were asked for. */
  readonly requests: number
  readonly heapBytes: number
}

/** Records the time of each frame until it is asked for them. */
const RECORD = `(() => {
  const times = []
  window.frames_ = times
  const next = at => { if (window.frames_ === times) { times.push(at); requestAnimationFrame(next) } }
  requestAnimationFrame(next)
})()`
const RECORDED = '(() => { const times = window.frames_; window.frames_ = undefined; return times })()'

/**
 * Scrolls through a list of ConfigMaps: steadily with the wheel, and by jumps all over it, as with the bar. The list and its watch are stand-ins between
 * page and server; what the server needs for such pages is measured by `bench:api`.
 */
export async function scrollRows(site: ConsoleSite, rows: number): Promise<readonly Scrolling[]> {
  const opened = await site.open()
  const { page } = opened
  const list = new StandInList(nameOf(0), rows, ANSWER_MS)
  let stop: () => void = () => undefined
  await page.route(/\/fleet\/objects\?/, route => list.answer(route))
  await page.routeWebSocket(/\/console\/socket$/, socket => {
    stop = followChanges(list, socket)
  })
  await page.goto(`${site.api.url}/instances/${nameOf(0)}/objects/configmaps`)
  const table = page.locator('section.rows')
  await table.getByText('config-0000000').waitFor()
  await table.hover()
  const measured: Scrolling[] = []
  const measure = async (how: Scrolling['how'], step: (at: number) => Promise<void>) => {
    list.requests = 0
    const before = await opened.worked()
    await page.evaluate(RECORD)
    const began = performance.now()
    for (let at = 0; performance.now() - began < SCROLLING_MS; at += 1) await step(at)
    const figures = figuresOf(await page.evaluate<number[]>(RECORDED))
    const after = await opened.worked()
    const perFrame = (seconds: number) => Math.round((seconds * 1e5) / figures.frames) / 100
    measured.push({
      how,
      rows,
      ...figures,
      workMs: perFrame(after.all - before.all),
      scriptMs: perFrame(after.scripts - before.scripts),
      requests: list.requests,
      heapBytes: await opened.heapBytes(),
    })
  }
  await measure('wheel', () => page.mouse.wheel(0, 120))
  await measure('jumps', async at => {
    await page.evaluate(
      `(() => { const s = document.querySelector('section.rows'); s.scrollTo(0, s.scrollHeight * ${((at * 37) % 100) / 100}) })()`,
    )
    await page.waitForTimeout(250)
  })
  stop()
  await opened.close()
  return measured
}

function figuresOf(times: readonly number[]) {
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const sorted = [...gaps].sort((one, other) => one - other)
  const at = (part: number) => round(sorted[Math.floor(sorted.length * part)] ?? 0)
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME_MS) - 1), 0)
  return {
    frames: gaps.length,
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), longestMs: round(sorted.at(-1) ?? 0) },
    droppedPercent: round((100 * dropped) / (gaps.length + dropped)),
  }
}

const round = (value: number) => Math.round(value * 10) / 10

/** What changes in a list, as the server would send it: all over it, and in what is in sight now and then. Other streams are refused: they are of no interest here. */
function followChanges(list: StandInList, socket: WebSocketRoute): () => void {
  const ends: (() => void)[] = []
  list.refuseWatch(socket, ({ open: id, path = '' }) => {
    if (id === undefined) return
    const send = (part: object) => socket.send(JSON.stringify({ id, ...part }))
    if (!path.includes('/fleet/objects:watch')) {
      send({ status: 404 })
      send({ end: true })
      return
    }
    const event = (data: object) => send({ text: `data: ${JSON.stringify(data)}\n\n` })
    send({ status: 200 })
    event({ type: 'RESET' })
    event({ type: 'PLACE_READ', place: { instance: list.instance } })
    let change = 0
    const timer = setInterval(() => {
      change += 1
      event({ type: 'MODIFIED', object: list.object((change * 7_919) % list.rows) })
    }, 1_000 / CHANGES_PER_SECOND)
    ends.push(() => clearInterval(timer))
  })
  return () => {
    for (const end of ends) end()
  }
}
