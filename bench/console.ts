/**
 * npm run bench:console -- [--instances 1000] [--opens 5] [--idle-seconds 20] [--hours 1] [--rows 100000] [--only first idle] [--json] [--help]
 *
 * What the console costs its reader; see bench/README.md.
 */
import { cpus, loadavg } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { flood } from './console/flood.js'
import { scrollRows } from './console/scrolling.js'
import { ConsoleSite } from './console/site.js'
import { idleRequests, watchHour } from './console/watching.js'

const PARTS = ['first', 'idle', 'watching', 'flood', 'scrolling'] as const

/** @throws InvalidArgumentError what commander prints, and exits with 1 */
function whole(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It is a whole number of 1 or more.')
  return number
}

const options = new Command('npm run bench:console --')
  .description('Measures the console in Chromium, over the real API with a stand-in for the fleet.')
  .option('--instances <number>', 'instances of the fleet', whole, 1_000)
  .option('--opens <number>', 'how often the first screen is opened', whole, 5)
  .option('--idle-seconds <seconds>', 'time without a change in which requests are counted', whole, 20)
  .option('--hours <number>', 'hours of changes that are watched, each in a minute', whole, 1)
  .option('--rows <number>', 'rows of the table that scrolls', whole, 100_000)
  .addOption(new Option('--only <part...>', 'measure these alone').choices(PARTS))
  .option('--json', 'print the figures as one line of JSON', false)
  .addHelpText(
    'after',
    '\nKAIRSHIP_CHROMIUM names the browser: .ci/chromium prints one. All parts take about ten minutes.',
  )
  .parse()
  .opts<Options>()

interface Options {
  readonly instances: number
  readonly opens: number
  readonly idleSeconds: number
  readonly hours: number
  readonly rows: number
  readonly only?: readonly (typeof PARTS)[number][]
  readonly json: boolean
}

const { instances, opens, idleSeconds, hours, rows, only = PARTS, json } = options
const load = loadavg()[0]?.toFixed(1)
const site = await ConsoleSite.start(instances)
// A page is closed with its browser; a signal ends both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void site.close())
const mb = (bytes: number) => (bytes / 1e6).toFixed(1)

const parts = {
  first: async () => {
    const times: number[] = []
    let scriptBytes = 0
    for (let count = 0; count < opens; count += 1) {
      const opened = await site.open()
      times.push(Math.round(opened.firstScreenMs))
      scriptBytes = opened.scriptBytes
      await opened.close()
    }
    times.sort((one, other) => one - other)
    const firstScreenMs = { median: times[Math.floor(opens / 2)], all: times }
    console.error(
      `${(scriptBytes / 1_000).toFixed(1)} kB of script (gzip) before the first screen, which takes ${firstScreenMs.median} ms (${times.join(', ')})`,
    )
    return { scriptBytes, firstScreenMs }
  },
  idle: async () => {
    const page = await site.open()
    const requests = await idleRequests(page, idleSeconds)
    await page.close()
    console.error(`${requests.length} requests in ${idleSeconds} s without a change`)
    return { idle: { seconds: idleSeconds, requests } }
  },
  watching: async () => {
    const page = await site.open()
    const watching = []
    for (let hour = 1; hour <= hours; hour += 1) {
      const watched = await watchHour(site, page, instances, hour)
      watching.push(watched)
      console.error(
        `hour ${hour} of ${instances} instances, ${watched.changes} changes in ${watched.seconds.toFixed(0)} s: ${mb(watched.heapBeforeBytes)} MB before, ${mb(watched.heapAfterBytes)} MB after`,
      )
    }
    await page.close()
    return { watching }
  },
  flood: async () => {
    const flooded = await flood(site, instances)
    console.error(
      `${flooded.changesPerSecond} changes a second: ${flooded.frames.p50Ms} ms (p50) and ${flooded.frames.p99Ms} ms (p99) a frame, a click is answered after ${flooded.clicks.longestMs} ms at most, ${flooded.wrongRows} of ${flooded.rowsInSight} rows wrong`,
    )
    return { flood: flooded }
  },
  scrolling: async () => {
    const scrolling = await scrollRows(site, rows)
    for (const part of scrolling) {
      const { how, frames, p50Ms, p95Ms, longestMs, droppedPercent, workMs, scriptMs, heapBytes } = part
      console.error(
        `${how}: ${frames} frames, ${p50Ms} ms (p50), ${p95Ms} ms (p95), ${longestMs} ms (longest), ${droppedPercent} % dropped, ${workMs} ms of CPU a frame (${scriptMs} of scripts), ${mb(heapBytes)} MB after`,
      )
    }
    return { scrolling }
  },
} as const

try {
  const figures = {}
  for (const part of PARTS.filter(part => only.includes(part))) Object.assign(figures, await parts[part]())
  if (json) console.log(JSON.stringify({ bench: 'console', cores: cpus().length, load, ...figures }))
} finally {
  await site.close()
}
