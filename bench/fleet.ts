/**
 * npm run bench:fleet -- --instances 10,100,1000 [--members M] [--idle-seconds S] [--convergence-only] [--profile folder] [--json]
 *
 * What a fleet costs: a playground of N instances in a process of its own, and two real `kairship controller-manager`
 * processes over it. Measures the time until all are ready, memory of the leading process before and after, what it asks
 * of APIs while converging and in one idle minute, and how long a takeover takes after SIGTERM and after SIGKILL.
 */
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { measureFleet } from './fleet-run.js'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '10' },
    members: { type: 'string', default: '1' },
    'idle-seconds': { type: 'string', default: '60' },
    'give-up-seconds': { type: 'string', default: '240' },
    'convergence-only': { type: 'boolean', default: false },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

const result = {
  bench: 'fleet',
  machine: {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    load: loadavg()[0],
  },
  runs: [] as object[],
}
for (const size of values.instances.split(','))
  result.runs.push(
    await measureFleet({
      instances: Number(size),
      membersPerInstance: Number(values.members),
      idleSeconds: Number(values['idle-seconds']),
      giveUpSeconds: Number(values['give-up-seconds']),
      convergenceOnly: values['convergence-only'],
      ...(values.profile !== undefined && { profiles: values.profile }),
      say: text => void process.stderr.write(`${text}\n`),
    }),
  )
process.stdout.write(`${values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`)
