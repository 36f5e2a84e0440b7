import { virtualClusterName } from '../../manifests/instance.js'
import { indexPath } from '../../manifests/pedia-cluster.js'
import { reachable } from './reachable.js'
import type { Round, Way, Wrk } from './wrk.js'

/** An instance that is indexed, and all ways to what it holds. */
export interface IndexedInstance {
  readonly name: string
  /** Its own API server. */
  readonly karmada: Way
  /** The host's, where the index answers. */
  readonly host: Way
  /** Its proxy. */
  readonly proxy: Way
}

/** A parameter that no index knows and that changes nothing about the answer: the rules send a request with it to Karmada. */
const TO_KARMADA = '?pretty=false'

/**
 * The same read of Karmada and of the index, each directly and through the proxy.
 * @param path of Kubernetes
 * @throws Error when the index does not come to answer it
 */
export async function measureIndexRead(
  instance: IndexedInstance,
  path: string,
  options: {
    readonly wrk: Wrk
    readonly seconds: number
    readonly rounds: number
    readonly connections: number
  },
  say: (line: string) => void,
): Promise<Record<string, Round>> {
  const { name, karmada, host, proxy } = instance
  const throughProxy = [
    { ...proxy, name: 'proxy from karmada', url: proxy.url + path + TO_KARMADA },
    { ...proxy, name: 'proxy from index', url: proxy.url + path },
  ]
  const ways: readonly Way[] = [
    { ...karmada, name: 'Karmada directly', url: karmada.url + path },
    { ...host, name: 'index directly', url: host.url + indexPath(virtualClusterName(name)) + path },
    ...throughProxy,
  ]
  for (const way of throughProxy) {
    const source = await reachable(way, '', say, way.name.split(' ').at(-1))
    if (!way.name.endsWith(source)) throw new Error(`${path} is answered from ${source}: ${way.name}`)
  }
  say(`${path}, ${options.connections} connections`)
  return options.wrk.compare(ways, () => '', options, say)
}
