/**
 * npm run bench:access -- [--streams 1000] [--bindings 10000] [--groups 200] [--requests 2000] [--json]
 *
 * What access control costs; see bench/README.md.
 */
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { measureDecisions } from './access/decisions.js'
import { measureStreams } from './access/streams.js'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    bindings: { type: 'string', default: '10000' },
    groups: { type: 'string', default: '200' },
    requests: { type: 'string', default: '2000' },
    json: { type: 'boolean', default: false },
  },
})
const options = {
  streams: Number(values.streams),
  bindings: Number(values.bindings),
  groups: Number(values.groups),
  requests: Number(values.requests),
}
const load = loadavg()[0]?.toFixed(1)
const decisions = await measureDecisions(options)
for (const [wire, rows] of Object.entries(decisions))
  for (const [state, { one, many, moreMs }] of Object.entries(rows))
    console.error(
      `${wire.padEnd(5)} ${state}: ${one.median} ms with one group, ${many.median} ms with ${options.groups} (${moreMs} ms more; p99 ${one.p99}, ${many.p99})`,
    )
const streams = await measureStreams(options)
const { medianMs, lastMs, lastByKindMs } = streams
console.error(
  `from a lock to the end of ${options.streams} streams: median ${medianMs} ms, last ${lastMs} ms (${JSON.stringify(lastByKindMs)})`,
)
if (values.json) console.log(JSON.stringify({ ...options, cores: cpus().length, load, decisions, streams }))
