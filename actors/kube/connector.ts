import { type KubeConnector, KubeconfigError } from '../../ports/kube-api.js'
import { type ConnectionOptions, connectKube } from './connection.js'
import { parseKubeconfig } from './kubeconfig.js'
import { LargeAnswers } from './large-answers.js'
import { lookupElsewhere, refuseLinkLocal } from './link-local.js'

/** A kubeconfig with many contexts has some kilobytes for each. What is larger only costs everybody the time of reading it. */
const LARGEST_KUBECONFIG = 256 << 10

/**
 * A page of 500 members, each with all types that it serves, has about a million. Who serves a control plane must not be able to stop
 * Kairship with one answer: 64 MiB of `{},` have twenty million values, and take a minute to parse.
 */
const MOST_VALUES = 4_000_000

/**
 * Connects to control planes whose kubeconfigs come out of Secrets, by one socket each. Such a kubeconfig may not name local files or
 * commands: it would let the writer of a Secret read this host's files and run programs on it. Nor may it lead to the metadata service of
 * a cloud, whose answers would be shown to who may use the instance's proxy.
 */
export function kubeConnector(defaults: ConnectionOptions = {}): KubeConnector {
  const bounds = {
    maxAnswerValues: MOST_VALUES,
    largeAnswers: new LargeAnswers(),
    lookup: lookupElsewhere,
  }
  return {
    async connect(kubeconfig, options) {
      if (Buffer.byteLength(kubeconfig) > LARGEST_KUBECONFIG)
        throw new KubeconfigError(
          `kubeconfig: larger than ${LARGEST_KUBECONFIG >> 10} KiB: leave out the contexts that are not used`,
        )
      const config = parseKubeconfig(kubeconfig, { local: false })
      refuseLinkLocal(config.server)
      return connectKube(config, { oneSession: true, ...bounds, ...defaults, ...options })
    },
  }
}
