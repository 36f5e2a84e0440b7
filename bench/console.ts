/**
 * npm run bench:console -- [--instances 1000] [--opens 5] [--idle-seconds 20] [--hours 1] [--rows 100000] [--json]
 *
 * What the console costs its reader; see bench/README.md.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { flood } from './console/flood.js'
import { scrollRows } from './console/scrolling.js'
import { ConsoleSite } from './console/site.js'
import { idleRequests, watchHour } from './console/watching.js'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '1000' },
    opens: { type: 'string', default: '5' },
    'idle-seconds': { type: 'string', default: '20' },
    hours: { type: 'string', default: '1' },
    rows: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
  },
})
const [instances, opens] = [Number(values.instances), Number(values.opens)]
const idleSeconds = Number(values['idle-seconds'])
const load = loadavg()[0]?.toFixed(1)
const site = await ConsoleSite.start(instances)
// A page is closed with its browser; a signal ends both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void site.close())
try {
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
  const page = await site.open()
  const idle = await idleRequests(page, idleSeconds)
  console.error(`${idle.length} requests in ${idleSeconds} s without a change`)
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  const watching = []
  for (let hour = 1; hour <= Number(values.hours); hour += 1) {
    const watched = await watchHour(site, page, instances, hour)
    watching.push(watched)
    console.error(
      `hour ${hour} of ${instances} instances, ${watched.changes} changes in ${watched.seconds.toFixed(0)} s: ${mb(watched.heapBeforeBytes)} MB before, ${mb(watched.heapAfterBytes)} MB after`,
    )
  }
  await page.close()
  const flooded = await flood(site, instances)
  console.error(
    `${flooded.changesPerSecond} changes a second: ${flooded.frames.p50Ms} ms (p50) and ${flooded.frames.p99Ms} ms (p99) a frame, a click is answered after ${flooded.clicks.longestMs} ms at most, ${flooded.wrongRows} of ${flooded.rowsInSight} rows wrong`,
  )
  const scrolling = await scrollRows(site, Number(values.rows))
  for (const {
    how,
    frames,
    p50Ms,
    p95Ms,
    longestMs,
    droppedPercent,
    workMs,
    scriptMs,
    heapBytes,
  } of scrolling)
    console.error(
      `${how}: ${frames} frames, ${p50Ms} ms (p50), ${p95Ms} ms (p95), ${longestMs} ms (longest), ${droppedPercent} % dropped, ${workMs} ms of CPU a frame (${scriptMs} of scripts), ${mb(heapBytes)} MB after`,
    )
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'console',
        cores: cpus().length,
        load,
        scriptBytes,
        firstScreenMs,
        idle: { seconds: idleSeconds, requests: idle },
        watching,
        flood: flooded,
        scrolling,
      }),
    )
} finally {
  await site.close()
}
