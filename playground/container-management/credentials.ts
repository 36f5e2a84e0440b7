import { parse } from 'yaml'
import { fromBase64, kubeconfigOf } from '../client/kubeconfig.js'
import type { PediaClusterSpec } from './pedia-cluster.js'

/** How to reach a cluster that is to be indexed. */
export interface ClusterConfig {
  readonly kubeconfig: string
  /** The endpoint, for `status.apiserver`. */
  readonly server: string
}

/** A PediaCluster whose endpoint or credentials cannot be used. The message becomes its Validated condition. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError'
}

/** What a spec says of its cluster; specs are frozen, and every write of a status brings the same one along. */
const known = new WeakMap<PediaClusterSpec, ClusterConfig>()

/**
 * Finds endpoint and credentials in a PediaCluster's spec; a kubeconfig in it wins.
 * @throws ClusterConfigError when parts are missing
 */
export function clusterConfig(name: string, spec: PediaClusterSpec): ClusterConfig {
  const before = known.get(spec)
  if (before) return before
  const config = configOf(name, spec)
  if (Object.isFrozen(spec)) known.set(spec, config)
  return config
}

function configOf(name: string, spec: PediaClusterSpec): ClusterConfig {
  const { kubeconfig, apiserver, tokenData, caData, certData, keyData } = spec
  if (kubeconfig) {
    const text = fromBase64(kubeconfig)
    return { kubeconfig: text, server: serverOf(text) }
  }
  if (spec.authenticationFrom)
    throw new ClusterConfigError(
      'cluster authentication secret listers is nil, perhaps you need to enable feature gate ClusterAuthenticationFromSecret',
    )
  if (!apiserver) throw new ClusterConfigError('Cluster APIServer Endpoint is required')
  if (!tokenData && !(certData && keyData))
    throw new ClusterConfigError("Cluster APIServer's Token or Cert is required")
  const access = {
    server: apiserver,
    ...(caData && { certificateAuthorityData: caData }),
    ...(tokenData && { token: fromBase64(tokenData) }),
    ...(certData && keyData && { clientCertificateData: certData, clientKeyData: keyData }),
  }
  return { kubeconfig: kubeconfigOf(name, access), server: apiserver }
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly name: string; readonly cluster?: { readonly server?: string } }[]
  readonly contexts?: readonly { readonly name: string; readonly context?: { readonly cluster?: string } }[]
  readonly 'current-context'?: string
}

/** The server of the current context; '' when the document does not say. */
function serverOf(text: string): string {
  let document: Kubeconfig | null
  try {
    // Its warnings quote the text, which holds credentials.
    document = parse(text, { logLevel: 'error' }) as Kubeconfig | null
  } catch (error) {
    throw new ClusterConfigError(`the kubeconfig is not YAML: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
    })
  }
  const context = document?.contexts?.find(({ name }) => name === document['current-context'])
  const cluster = document?.clusters?.find(({ name }) => name === context?.context?.cluster)
  return cluster?.cluster?.server ?? ''
}
