import {
  type KubeList,
  type KubeObject,
  resourcePath,
  type SecretReference,
} from '../../../../manifests/kube.js'
import { KUBECONFIG_KEY, mayHoldKubeconfig } from '../../../../manifests/kubeconfig-secret.js'
import { isForbidden } from '../../../../manifests/status-error.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { type Failure, invalidArgument } from '../../../errors/failure.js'
import type { Reason } from '../../../errors/reasons.js'

/** A Secret has a megabyte at most, in base64, and its metadata. */
const LARGEST_ANSWER = 4 << 20

interface Secret extends KubeObject {
  readonly type?: string
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>
}

/** A field of the request names something that cannot be used. @param field path in the request */
export const unusable = (reason: Reason, field: string, description: string): Failure =>
  invalidArgument(`${field}: ${description}`, { reason, violations: [{ field, description }] })

/** A Secret in messages. */
export const secretName = ({ namespace, name }: SecretReference): string => `Secret ${namespace}/${name}`

/**
 * Reads a Secret of the host that a request names. By a list, because Kairship may list Secrets and not get them.
 * @param field path of the reference in the request
 * @throws Failure INVALID_ARGUMENT SecretNotFound, SecretUnreadable
 */
export async function readSecret(
  host: Pick<KubeApi, 'request'>,
  reference: SecretReference,
  field: string,
  signal: AbortSignal,
): Promise<Secret> {
  const { namespace, name } = reference
  const list = await host
    .request<KubeList<Secret>>({
      method: 'GET',
      path: resourcePath({ group: '', version: 'v1', resource: 'secrets' }, { namespace }),
      query: { fieldSelector: `metadata.name=${name}` },
      maxAnswerBytes: LARGEST_ANSWER,
      signal,
    })
    .catch(error => {
      if (!isForbidden(error)) throw error
      throw unusable(
        'SecretUnreadable',
        `${field}.namespace`,
        `Kairship may not list Secrets in namespace ${namespace}: allow list and watch of secrets there to its ServiceAccounts, or name a Secret of another namespace`,
      )
    })
  const secret = list.items?.find(({ metadata }) => metadata.name === name)
  if (secret) return secret
  throw unusable(
    'SecretNotFound',
    `${field}.name`,
    `${secretName(reference)} does not exist on the host: create it, or name another`,
  )
}

/**
 * The text of the kubeconfig in a Secret.
 * @param field path of the reference in the request
 * @throws Failure INVALID_ARGUMENT SecretKeyMissing
 */
export function kubeconfigIn({ type, data = {} }: Secret, reference: SecretReference, field: string): string {
  const { key = KUBECONFIG_KEY } = reference
  const held = mayHoldKubeconfig(type) ? data : {}
  const encoded = Object.hasOwn(held, key) ? held[key] : undefined
  if (encoded) return Buffer.from(encoded, 'base64').toString()
  const keys = Object.keys(held)
  const has = keys.length > 0 ? `it has ${keys.join(', ')}` : 'it has no data'
  throw unusable('SecretKeyMissing', `${field}.key`, `${secretName(reference)} has no key '${key}'; ${has}`)
}
