import { EMBEDDED_INSTANCE as instance } from '../proxy/host.js'
import type { Site } from '../proxy/site.js'
import { allIndexed, measurePages, tokenAfterMiddle } from './measure.js'
import type { ApiBenchOptions } from './options.js'
import { type Listed, pageOfOne, pagesOfFleet } from './pages.js'
import type { Found } from './rounds.js'
import { kairshipServing } from './serving.js'

const PAGE_SIZE = 50

/** Pages of 50 of the whole fleet, and of one of its instances, over both wires. */
export async function measureFleet(
  site: Site,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { instances, objects } = options.fleet
  say(`a playground of ${instances} instances with ${objects} ConfigMaps …`)
  const host = await site.host({ adopt: {}, configMaps: objects, instances })
  const { kairship, wires, url } = await kairshipServing(site, host, options)
  const { admin: token } = host.tokens
  const listed: Listed = { instances, objects, namespace: 'default', instance }
  const sources = { host: { url: host.url, ca: host.certificateAuthority, token } }
  await allIndexed({ url, token }, listed, say)
  const pageToken = await tokenAfterMiddle({ url, token }, listed, PAGE_SIZE)
  const pages = {
    ...pagesOfFleet(wires, listed, { ...sources, pageToken }, PAGE_SIZE),
    ...pageOfOne(wires, listed, sources, PAGE_SIZE),
  }
  const found = await measurePages(pages, kairship, options, say)
  await wires.close()
  return found
}
