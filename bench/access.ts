/**
 * npm run bench:access -- [--streams 1000] [--json]
 *
 * What access control costs; see bench/README.md.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { measureStreams } from './access/streams.js'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
})
const options = { streams: Number(values.streams) }
const load = loadavg()[0]?.toFixed(1)
const streams = await measureStreams(options)
const { medianMs, lastMs, lastByKindMs } = streams
console.error(
  `from a lock to the end of ${options.streams} streams: median ${medianMs} ms, last ${lastMs} ms (${JSON.stringify(lastByKindMs)})`,
)
if (values.json) console.log(JSON.stringify({ ...options, cores: cpus().length, load, streams }))
