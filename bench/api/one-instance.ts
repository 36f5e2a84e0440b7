import { CoreService } from '../../proto/gen/kairship/core_pb.js'
import { EMBEDDED_INSTANCE as instance } from '../proxy/host.js'
import { reachable } from '../proxy/reachable.js'
import type { Site } from '../proxy/site.js'
import type { ApiBenchOptions } from './options.js'
import { API, type Listed, type Pages, pageOfOne } from './pages.js'
import { compare, type Found, type Rounds } from './rounds.js'
import { kairshipServing } from './serving.js'

const PAGE_SIZE = 20
const namespace = 'default'
const name = 'c-00000'

/** A get and a page of 20 of one embedded instance, over both wires, and the page without Kairship. */
export async function measureOneInstance(
  site: Site,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { objects, only } = options
  say(`a playground with ${objects} ConfigMaps …`)
  const host = await site.host({ adopt: {}, configMaps: objects })
  const { kairship, wires, url } = await kairshipServing(site, host, options)
  const { admin: token } = host.tokens
  const path = `${API}/instances/${instance}/namespaces/${namespace}/configmaps`
  await reachable({ name: 'kairship', url, token }, `${path}?pageSize=1`, say, 'index')
  const listed: Listed = { instances: 1, objects, namespace, instance }
  const { url: karmadaUrl = '', certificateAuthority = '', token: karmadaToken = '' } = host.embedded ?? {}
  const pages: Pages = {
    ...(only.has('get') && {
      get: [
        wires.rest(`${path}/${name}`),
        wires.grpc(CoreService.method.getConfigMap, { instance, namespace, name }),
      ],
    }),
    ...(only.has('page') &&
      pageOfOne(
        wires,
        listed,
        {
          host: { url: host.url, ca: host.certificateAuthority, token },
          karmada: { url: karmadaUrl, ca: certificateAuthority, token: karmadaToken },
        },
        PAGE_SIZE,
      )),
  }
  const found: Record<string, Readonly<Record<string, Rounds>>> = {}
  for (const [page, ways] of Object.entries(pages)) {
    say(page)
    found[page] = await compare(ways, kairship, options)
  }
  await wires.close()
  return found
}
