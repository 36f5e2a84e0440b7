/**
 * npm run bench:api -- [--only get,page,fleet] [--real] [--json] [--help]
 *
 * What the management API costs over REST and over gRPC: a get and a page of 20 of one instance, next to the same page from the
 * instance's own API server and from its index, and pages of 50 of a fleet; see bench/README.md.
 */
import { cpus, loadavg } from 'node:os'
import { measureFleet } from './api/fleet.js'
import { measureOneInstance } from './api/one-instance.js'
import { apiBenchOptions } from './api/options.js'
import { measureReal } from './api/real.js'
import { type Found, table } from './api/rounds.js'
import { CORES } from './proxy/process.js'
import { Site } from './proxy/site.js'

const options = apiBenchOptions()
const began = performance.now()
const say = (line: string): void =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`)
const load = (): string => loadavg()[0]?.toFixed(1) ?? ''

/** What is to be closed when a signal ends the bench. */
const open = new Set<Site>()
let wasInterrupted = false
const interrupt = (): void => {
  if (wasInterrupted) return
  wasInterrupted = true
  say('stopping …')
  for (const site of open) void site.close()
}
process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)

/** One part, with processes of its own. */
async function part(measure: (site: Site) => Promise<Found>): Promise<Found> {
  if (wasInterrupted) return {}
  const site = new Site()
  open.add(site)
  try {
    return await measure(site)
  } catch (error) {
    // What a signal cut off fails.
    if (wasInterrupted) return {}
    throw error
  } finally {
    await site.close()
    open.delete(site)
  }
}

const { only, json, real } = options
const loadBefore = load()
const measure = async (): Promise<Found> => {
  if (real) return part(site => measureReal(site, options, say))
  const isOfOne = only.has('get') || only.has('page')
  const ofOne = isOfOne ? await part(site => measureOneInstance(site, options, say)) : {}
  const ofFleet = only.has('fleet') ? await part(site => measureFleet(site, options, say)) : {}
  return { ...ofOne, ...ofFleet }
}
const found = await measure()
const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, load ${loadBefore} before, ${load()} after`
const cores = CORES.proxy === undefined ? 'shared' : 'Kairship on one, everything else on the other'
if (wasInterrupted) process.exitCode = 130
else
  console.log(
    json ? JSON.stringify({ bench: 'api', machine, cores, found }) : `${machine}\n\n${table(found)}`,
  )
