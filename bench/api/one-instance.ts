import { virtualClusterName } from '../../manifests/instance.js'
import { indexPath } from '../../manifests/pedia-cluster.js'
import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { SortBy } from '../../proto/gen/kairship/types_pb.js'
import { type HostReady, EMBEDDED_INSTANCE as instance } from '../proxy/host.js'
import { reachable } from '../proxy/reachable.js'
import type { Site } from '../proxy/site.js'
import type { ApiBenchOptions } from './options.js'
import { compare, type Found, type Rounds } from './rounds.js'
import { kairshipServing } from './serving.js'
import type { BothWires, Way } from './ways.js'

const PAGE_SIZE = 20
const namespace = 'default'
const name = 'c-00000'
const prefix = `/apis/kairship.io/v1alpha1/instances/${instance}`
const configMaps = `/namespaces/${namespace}/configmaps`

/** A get and a page of 20 of one embedded instance, over both wires, and the page without Kairship. */
export async function measureOneInstance(
  site: Site,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { objects, only } = options
  /** A page in the middle: neither the first, which everything has at hand, nor the last. */
  const page = Math.max(1, Math.floor(objects / PAGE_SIZE / 2))
  say(`a playground with ${objects} ConfigMaps …`)
  const host = await site.host({ adopt: {}, configMaps: objects })
  const { kairship, wires, url } = await kairshipServing(site, host, options)
  const { admin: token } = host.tokens
  await reachable({ name: 'kairship', url, token }, `${prefix}${configMaps}?pageSize=1`, say, 'index')
  const operations: Readonly<Record<string, () => readonly Way[]>> = {
    get: () => [
      wires.rest(`${prefix}${configMaps}/${name}`),
      wires.grpc(CoreService.method.getConfigMap, { instance, namespace, name }),
    ],
    page: () => [
      wires.rest(`${prefix}${configMaps}?page=${page}&pageSize=${PAGE_SIZE}&sortBy=field_name`),
      wires.grpc(CoreService.method.listConfigMaps, {
        instance,
        namespace,
        page,
        pageSize: PAGE_SIZE,
        sortBy: SortBy.field_name,
      }),
      ...direct(host, wires, page),
    ],
  }
  const found: Record<string, Readonly<Record<string, Rounds>>> = {}
  for (const [operation, ways] of Object.entries(operations)) {
    if (!only.has(operation)) continue
    say(operation)
    found[operation === 'page' ? `page of ${PAGE_SIZE} of ${objects}` : operation] = await compare(
      ways(),
      kairship,
      options,
    )
  }
  await wires.close()
  return found
}

/** The same page without Kairship. An API server can only begin at the front. */
function direct(
  { url, tokens, embedded, certificateAuthority: ca }: HostReady,
  wires: BothWires,
  page: number,
): readonly Way[] {
  if (!embedded) return []
  const path = `/api/v1${configMaps}`
  const offset = (page - 1) * PAGE_SIZE
  const below = indexPath(virtualClusterName(instance))
  const karmada = { url: embedded.url, ca: embedded.certificateAuthority, token: embedded.token }
  return [
    wires.direct('Karmada directly (first page)', karmada, `${path}?limit=${PAGE_SIZE}`),
    wires.direct(
      'index directly',
      { url, ca, token: tokens.admin },
      `${below}${path}?limit=${PAGE_SIZE}&continue=${offset}&orderby=name`,
    ),
  ]
}
