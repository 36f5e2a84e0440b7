import {
  type AccountTokens,
  ImpersonationRefusedError,
  type KubeConnector,
  KubeconfigError,
} from '../../ports/kube-api.js'
import { authenticator } from './authenticate.js'
import { type ConnectionOptions, connectKube } from './connection.js'
import { type Kubeconfig, parseKubeconfig } from './kubeconfig.js'
import { LargeAnswers } from './large-answers.js'
import { lookupElsewhere, refuseLinkLocal } from './link-local.js'
import type { Authenticator, Proof } from './proof.js'

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
  const settings = { oneSession: true, ...bounds, ...defaults }
  return {
    connect: async (kubeconfig, options) => connectKube(endpointOf(kubeconfig), { ...settings, ...options }),
    async connectAs(kubeconfig, tokens) {
      const config = endpointOf(kubeconfig)
      const own = tokens.ownStandsIn ? authenticator(config) : undefined
      return connectKube({ ...config, credential: {} }, { ...settings, authenticator: bearer(tokens, own) })
    },
  }
}

function endpointOf(kubeconfig: string): Kubeconfig {
  if (Buffer.byteLength(kubeconfig) > LARGEST_KUBECONFIG)
    throw new KubeconfigError(
      `kubeconfig: larger than ${LARGEST_KUBECONFIG >> 10} KiB: leave out the contexts that are not used`,
    )
  const config = parseKubeconfig(kubeconfig, { local: false })
  refuseLinkLocal(config.server)
  return config
}

/** The same proof for as long as the token is the same: who compares proofs, and opens sockets by them, sees no change. */
function bearer(tokens: AccountTokens, own: Authenticator | undefined): Authenticator {
  let known: { readonly token: string; readonly proof: Proof } | undefined
  const proofOf = (token: string): Proof => {
    if (known?.token !== token) known = { token, proof: { authorization: `Bearer ${token}` } }
    return known.proof
  }
  const instead = (error: unknown): Proof | Promise<Proof> => {
    if (own && error instanceof ImpersonationRefusedError) return own.proof()
    throw error
  }
  return {
    proof() {
      const token = tokens.token()
      return typeof token === 'string' ? proofOf(token) : token.then(proofOf, instead)
    },
    refused() {
      tokens.refused()
      own?.refused()
    },
    forbade: () => tokens.forbade?.(),
  }
}
