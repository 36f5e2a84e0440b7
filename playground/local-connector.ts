import { parse } from 'yaml'
import { type KubeApi, type KubeConnector, KubeconfigError } from '../ports/kube-api.js'
import type { ApiServer } from './apiserver/server.js'

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
    return server ? connectionTo(server.local) : otherwise.connect(kubeconfig, options)
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

/** A connection of its own: closing it ends its requests and watches and leaves the server alone. */
function connectionTo(local: KubeApi): KubeApi {
  const closed = new AbortController()
  const until = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, closed.signal]) : closed.signal
  return {
    server: local.server,
    request: request => local.request({ ...request, signal: until(request.signal) }),
    watch: request => local.watch({ ...request, signal: until(request.signal) }),
    async close() {
      closed.abort()
    },
  }
}
