import { parse } from 'yaml'
import type { GroupVersionResource } from '../../manifests/kube.js'
import { type KubeApi, type KubeConnector, KubeconfigError } from '../../ports/kube-api.js'
import type { Follower } from '../apiserver/operations/follow.js'
import type { ApiServer } from '../apiserver/server.js'

/**
 * Connects to API servers of this process without sockets, and to all others as usual. For fleets of a thousand, whose
 * engines would need tens of thousands of TLS connections: credentials are not checked and faults of the network not felt.
 * @param serverAt finds the server of this process that listens at a URL
 */
export const localConnector = (
  serverAt: (url: string) => ApiServer | undefined,
  otherwise: KubeConnector,
): KubeConnector => ({
  async connect(kubeconfig, options) {
    const server = serverAt(endpointOf(kubeconfig))
    return server ? connectionTo(server) : otherwise.connect(kubeconfig, options)
  },
})

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: { readonly server?: string } }[]
}

/** The server of a kubeconfig with one cluster; '' for any other. */
function endpointOf(kubeconfig: string): string {
  try {
    const { clusters = [] } = (parse(kubeconfig) ?? {}) as Kubeconfig
    return clusters.length === 1 ? (clusters[0]?.cluster?.server ?? '') : ''
  } catch (error) {
    throw new KubeconfigError('the kubeconfig is not YAML', { cause: error })
  }
}

/** A connection to a server of this process: types can be followed without a list and a watch. */
export interface LocalConnection extends KubeApi {
  follow(type: GroupVersionResource, follower: Follower): (() => void) | undefined
}

export const isLocal = (api: KubeApi): api is LocalConnection => 'follow' in api

/** A connection of its own: closing it ends its requests and watches and leaves the server alone. */
function connectionTo({ local, follow }: ApiServer): LocalConnection {
  const closed = new AbortController()
  const following = new Set<() => void>()
  // Engines pass the same signal with all their requests, and a joined one costs as much as a small request.
  let joined: { readonly of: AbortSignal; readonly signal: AbortSignal } | undefined
  const until = (signal: AbortSignal | undefined): AbortSignal => {
    if (!signal) return closed.signal
    if (joined?.of !== signal) joined = { of: signal, signal: AbortSignal.any([signal, closed.signal]) }
    return joined.signal
  }
  return {
    server: local.server,
    request: request => local.request({ ...request, signal: until(request.signal) }),
    watch: request => local.watch({ ...request, signal: until(request.signal) }),
    follow(type, follower) {
      if (closed.signal.aborted) return undefined
      const end = follow(type, follower)
      if (!end) return undefined
      const stop = () => {
        following.delete(stop)
        end()
      }
      following.add(stop)
      return stop
    },
    async close() {
      closed.abort()
      for (const stop of following) stop()
    },
  }
}
