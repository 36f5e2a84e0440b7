/**
 * npm run bench:fleet -- --instances 10,100,1000 [--stand-in] [--members M] [--idle-seconds S] [--convergence-only] [--hanging H] [--profile folder] [--json]
 * npm run bench:fleet -- --grow 3000 [--from 10] [--stand-in] [--members M] [--idle-seconds S] [--profile folder] [--json]
 *
 * What a fleet costs: a playground of N instances in a process of its own, and two real `kairship controller-manager`
 * processes over it. Measures the time until all are ready, memory of the leading process before and after, what it asks
 * of APIs while converging and in one idle minute, and how long a takeover takes after SIGTERM and after SIGKILL.
 *
 * With --grow: what one process keeps of a fleet that grew to N instances and shrank back.
 */
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { measureGrowth } from './fleet-grow.js'
import { measureFleet } from './fleet-run.js'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '10' },
    members: { type: 'string', default: '1' },
    'idle-seconds': { type: 'string', default: '60' },
    'give-up-seconds': { type: 'string' },
    'convergence-only': { type: 'boolean', default: false },
    'stand-in': { type: 'boolean', default: false },
    hanging: { type: 'string' },
    grow: { type: 'string' },
    from: { type: 'string', default: '10' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(`npm run bench:fleet -- [options]

  --instances 10,100     sizes to measure, one after the other
  --grow N               instead: lets a fleet grow to N instances and shrink back
  --from N               how many instances it grows from (10)
  --stand-in             control planes and host that only answer: for fleets that a playground has no CPU for
  --members M            member clusters of each instance (1)
  --idle-seconds S       how long a fleet at rest is measured; with --grow, left alone before it is measured (60)
  --give-up-seconds S    how long instances may take to be ready (240, and a tenth of a second for each); not with --grow
  --convergence-only     no rest, no takeovers
  --hanging H            with --stand-in: how long the others take where H older control planes take connections and never answer
  --profile FOLDER       leaves CPU profiles and heap snapshots there
  --json                 one line
`)
  process.exit(0)
}

/** @throws Error for what is no whole number of at least one */
function count(option: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${option} ${text}: give a whole number of at least 1`)
  return number
}

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
const common = {
  membersPerInstance: Number(values.members),
  idleSeconds: Number(values['idle-seconds']),
  standIn: values['stand-in'],
  ...(values.profile !== undefined && { profiles: values.profile }),
  say: (text: string) => void process.stderr.write(`${text}\n`),
}
if (values.grow !== undefined) {
  const [from, to] = [count('from', values.from), count('grow', values.grow)]
  if (to <= from) throw new Error(`--grow ${to}: give a number above --from ${from}`)
  result.runs.push(await measureGrowth({ ...common, from, to }))
}
if (values.hanging !== undefined && !values['stand-in'])
  throw new Error('--hanging: a playground has no control planes that hang; give --stand-in as well')
const sizes = values.instances.split(',').map(size => count('instances', size))
for (const instances of values.grow === undefined ? sizes : [])
  result.runs.push(
    await measureFleet({
      ...common,
      instances,
      giveUpSeconds: Number(values['give-up-seconds'] ?? 240 + instances / 10),
      convergenceOnly: values['convergence-only'],
      ...(values.hanging !== undefined && { hanging: count('hanging', values.hanging) }),
    }),
  )
process.stdout.write(`${values.json ? JSON.stringify(result) : JSON.stringify(result, null, 2)}\n`)
