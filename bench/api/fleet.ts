import { Agent, request } from 'undici'
import { READ_API } from '../../manifests/pedia-cluster.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { FleetService } from '../../proto/gen/kairship/fleet_pb.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'
import { type HostReady, EMBEDDED_INSTANCE as instance } from '../proxy/host.js'
import type { Site } from '../proxy/site.js'
import type { ApiBenchOptions } from './options.js'
import { compare, type Found, type Rounds } from './rounds.js'
import { kairshipServing } from './serving.js'
import type { BothWires, Way } from './ways.js'

const PAGE_SIZE = 50
/** A page of a fleet list ends among so many objects. */
const DEEPEST = 10_000
const namespace = 'default'
const API = '/apis/kairship.io/v1alpha1'
const configMaps = `/namespaces/${namespace}/configmaps`
const TYPE = { version: 'v1', resource: 'configmaps' } as const
/** How long the instances may take until all are read from the index. */
const PATIENCE_MS = 240_000

/** Pages of 50 of the whole fleet, and of one of its instances, over both wires. */
export async function measureFleet(
  site: Site,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { instances, objects, callers, matching } = options.fleet
  say(`a playground of ${instances} instances with ${objects} ConfigMaps …`)
  const host = await site.host({ adopt: {}, configMaps: objects, instances })
  const { kairship, wires, url } = await kairshipServing(site, host, options)
  const { admin: token } = host.tokens
  await allIndexed({ url, token }, { instances, objects }, say)
  const operations = Object.entries(fleetPages(wires, host, options)).filter(([name]) =>
    name.includes(matching),
  )
  const found: Record<string, Readonly<Record<string, Rounds>>> = {}
  for (const [operation, ways] of operations)
    for (const connections of callers) {
      const what = `${operation}, ${connections} ${connections === 1 ? 'caller' : 'callers'}`
      say(what)
      found[what] = await compare(ways, kairship, { ...options, connections })
    }
  await wires.close()
  return found
}

function fleetPages(
  wires: BothWires,
  { url, certificateAuthority: ca, tokens }: HostReady,
  { fleet: { instances, objects } }: ApiBenchOptions,
): Readonly<Record<string, readonly Way[]>> {
  const middle = Math.max(1, Math.floor(Math.min(objects, DEEPEST) / PAGE_SIZE / 2))
  const ofOne = Math.max(1, Math.floor(objects / instances / PAGE_SIZE / 2))
  const list = (query: Readonly<Record<string, string>>): Way =>
    wires.rest(
      `${API}/fleet/objects?${new URLSearchParams({ ...TYPE, pageSize: String(PAGE_SIZE), ...query })}`,
    )
  /** The index has a list over all clusters, too. */
  const direct = (query: string): Way =>
    wires.direct(
      'index directly',
      { url, ca, token: tokens.admin },
      `${READ_API}/api/v1${configMaps}?limit=${PAGE_SIZE}&withRemainingCount=true&${query}`,
    )
  const method = FleetService.method.listFleetObjects
  const common = { ...TYPE, pageSize: PAGE_SIZE }
  const byTime = { sortBy: SortBy.created_at, sortDir: SortDir.desc, labelSelector: 'tier=t3' }
  return {
    'fleet, first page by name': [
      list({ sortBy: 'field_name' }),
      wires.grpc(method, { ...common, sortBy: SortBy.field_name }),
      direct('orderby=name+desc,cluster,namespace'),
    ],
    'fleet, first page by time and label': [
      list({ sortBy: 'created_at', sortDir: 'desc', labelSelector: 'tier=t3' }),
      wires.grpc(method, { ...common, ...byTime }),
      direct('orderby=created_at+desc,cluster,namespace,name&labelSelector=tier%3Dt3'),
    ],
    [`fleet, page ${middle} by name`]: [
      list({ sortBy: 'field_name', page: String(middle) }),
      wires.grpc(method, { ...common, sortBy: SortBy.field_name, page: middle }),
      direct(`orderby=name+desc,cluster,namespace&continue=${(middle - 1) * PAGE_SIZE}`),
    ],
    [`one of the instances, page ${ofOne} by name`]: [
      wires.rest(
        `${API}/instances/${instance}${configMaps}?page=${ofOne}&pageSize=${PAGE_SIZE}&sortBy=field_name`,
      ),
      wires.grpc(CoreService.method.listConfigMaps, {
        ...{ instance, namespace, page: ofOne, pageSize: PAGE_SIZE, sortBy: SortBy.field_name },
      }),
    ],
  }
}

/** Waits until a fleet list has every object, all of them read from the index. @throws Error with what it has instead */
async function allIndexed(
  { url, token }: { readonly url: string; readonly token: string },
  { instances, objects }: { readonly instances: number; readonly objects: number },
  say: (line: string) => void,
): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const query = new URLSearchParams({ ...TYPE, namespace, pageSize: '1' })
  const headers = { authorization: `Bearer ${token}` }
  try {
    for (;;) {
      const { statusCode, body } = await request(`${url}${API}/fleet/objects?${query}`, {
        dispatcher,
        headers,
      })
      const { places = [] } = (await body.json()) as {
        places?: { total?: number; source?: { source: string } }[]
      }
      const indexed = places.filter(({ source }) => source?.source === 'index')
      const count = indexed.reduce((sum, { total = 0 }) => sum + total, 0)
      const what = `${statusCode}: ${count} of ${objects} objects of ${indexed.length} of ${instances} instances are read from the index`
      say(what)
      if (indexed.length === instances && count >= objects) return
      if (performance.now() > until) throw new Error(what)
      await new Promise(resolve => setTimeout(resolve, 1_000))
    }
  } finally {
    await dispatcher.close()
  }
}
