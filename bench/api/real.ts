import { readFileSync } from 'node:fs'
import { ApiClient, type ApiCredentials } from '../../test/real/api-client.js'
import { adopt, installKairship, kairshipNamespace } from '../../test/real/kairship.js'
import { type ProvidedStack, startStack } from '../../test/real/stack.js'
import { administratorToken, writeConfigMaps } from '../proxy/real-index.js'
import type { Site } from '../proxy/site.js'
import { allIndexed, measurePages } from './measure.js'
import type { ApiBenchOptions } from './options.js'
import { type Listed, pageOfOne, pagesOfFleet } from './pages.js'
import type { Found } from './rounds.js'
import { kairshipServing } from './serving.js'

/** Pages of real Karmadas, through Kairship, from the API server of one of them, and from Clusterpedia. */
export async function measureReal(
  site: Site,
  options: ApiBenchOptions,
  say: (line: string) => void,
): Promise<Found> {
  const { objects } = options.fleet
  const provided = options.stack
    ? (JSON.parse(readFileSync(options.stack, 'utf8')) as ProvidedStack)
    : await ownStack(site, options.fleet.instances, say)
  const names = Object.keys(provided.karmadas)
  const instances = names.length
  const host = new ApiClient(provided.host)
  await installKairship(host)
  const token = await administratorToken(host)
  const listed: Listed = { instances, objects, namespace: 'bench-api', instance: names[0] ?? '' }
  const clients = names.map(name => new ApiClient(provided.karmadas[name] as ApiCredentials))
  for (const [index, client] of clients.entries()) {
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: kairshipNamespace } })
    // Of the same name as on the host: Kairship says there who asks here.
    await administratorToken(client)
    await writeConfigMaps(client, listed.namespace, { from: index, step: instances, to: objects }, say)
    await adopt(host, provided, names[index] ?? '')
  }
  const kubeconfig = readFileSync(provided.kubeconfigs.host ?? '', 'utf8')
  const serving = { kubeconfig, tokens: { admin: token } }
  const { kairship, wires, url } = await kairshipServing(site, serving, options)
  await allIndexed({ url, token }, listed, say)
  const karmada = provided.karmadas[listed.instance] as ApiCredentials
  const sources = { host: provided.host, karmada }
  const found = await measurePages(
    {
      ...pageOfOne(wires, listed, sources, 20),
      ...pageOfOne(wires, listed, sources, 50),
      ...pagesOfFleet(wires, listed, sources, 50),
    },
    kairship,
    options,
    say,
  )
  await wires.close()
  await Promise.all([host, ...clients].map(client => client.close()))
  return Object.fromEntries(Object.entries(found).map(([what, ways]) => [`real: ${what}`, ways]))
}

/** Real engines that end with the site. */
async function ownStack(site: Site, instances: number, say: (line: string) => void): Promise<ProvidedStack> {
  const names = Array.from({ length: instances }, (_, index) => `karmada-${index + 1}`)
  const shape = { karmadas: Object.fromEntries(names.map(name => [name, []])), clusterpedia: true }
  const stack = await startStack(shape, say)
  await site.endsWith(() => stack.close())
  return stack.provided()
}
