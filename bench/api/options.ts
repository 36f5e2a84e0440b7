import { parseArgs } from 'node:util'

/** What one run of `bench/api.ts` measures. */
export interface ApiBenchOptions {
  readonly only: ReadonlySet<string>
  /** ConfigMaps of the instance of `get` and `page`. */
  readonly objects: number
  /** Requests at once of `get` and `page`. */
  readonly connections: number
  readonly fleet: {
    readonly instances: number
    readonly objects: number
    readonly callers: readonly number[]
    /** Only operations whose name contains this. */
    readonly matching: string
  }
  readonly seconds: number
  readonly rounds: number
  readonly real: boolean
  /** The file `suites` of a stack that runs already. */
  readonly stack?: string
  /** Where CPU profiles of Kairship are left. */
  readonly cpuProfiles?: string
  readonly json: boolean
}

const HELP = `npm run bench:api -- [options]

What the management API costs over REST and over gRPC; see bench/README.md.

  --only get,page,fleet    parts to measure (all)
  --objects 10000          ConfigMaps of the instance that get and page read
  --connections 16         requests at once of get and page
  --fleet-instances 20     instances of the fleet; 2 with --real
  --fleet-objects 50000    ConfigMaps of all of them
  --callers 1,8            requests at once of fleet, one after the other
  --matching TEXT          only those pages of fleet whose name contains it
  --seconds 3              of each way in a round
  --rounds 3               after one that warms up
  --real                   only pages of real Karmadas: through Kairship, from one of them, and from Clusterpedia
  --stack FILE             with --real: the running stack of 'npm run real:up' whose file 'suites' this is
  --cpu-prof FOLDER        leave CPU profiles of Kairship there
  --json                   print one line of JSON
  --help                   print this
`

/** Reads the command line. For `--help` it prints what there is and ends the process. @throws TypeError for what is no option */
export function apiBenchOptions(): ApiBenchOptions {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: 'get,page,fleet' },
      objects: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '16' },
      'fleet-instances': { type: 'string' },
      'fleet-objects': { type: 'string', default: '50000' },
      callers: { type: 'string', default: '1,8' },
      matching: { type: 'string', default: '' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      real: { type: 'boolean', default: false },
      stack: { type: 'string' },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const profiles = values['cpu-prof']
  return {
    only: new Set(values.only.split(',')),
    objects: Number(values.objects),
    connections: Number(values.connections),
    fleet: {
      instances: Number(values['fleet-instances'] ?? (values.real ? 2 : 20)),
      objects: Number(values['fleet-objects']),
      callers: values.callers.split(',').map(Number),
      matching: values.matching,
    },
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    real: values.real,
    ...(values.stack !== undefined && { stack: values.stack }),
    json: values.json,
    ...(profiles !== undefined && { cpuProfiles: profiles }),
  }
}
