import type { KubeConnector } from '../../ports/kube-api.js'
import { type ConnectionOptions, connectKube } from './connection.js'
import { parseKubeconfig } from './kubeconfig.js'

/**
 * Connects to control planes whose kubeconfigs come out of Secrets, by one socket each. Such a kubeconfig may not name local files or
 * commands: it would let the writer of a Secret read this host's files and run programs on it.
 */
export function kubeConnector(defaults: ConnectionOptions = {}): KubeConnector {
  return {
    connect: async (kubeconfig, options) =>
      connectKube(parseKubeconfig(kubeconfig, { local: false }), {
        oneSession: true,
        ...defaults,
        ...options,
      }),
  }
}
