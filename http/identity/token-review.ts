import type { KubeApi } from '../../ports/kube-api.js'
import type { Caller } from './caller.js'
import { withAuthenticated } from './groups.js'

/** How long the host may take to answer a review. */
const REVIEW_TIMEOUT_MS = 10_000

/**
 * Asks the host whose token this is; undefined where it knows none.
 * @throws StatusError, UnreachableError when it did not answer
 */
export async function reviewToken(host: KubeApi, token: string): Promise<Caller | undefined> {
  const review = await host.request<unknown>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    timeoutMs: REVIEW_TIMEOUT_MS,
  })
  return callerOfReview(review)
}

/** Reads `status` of a TokenReview; whatever is not clearly a yes is a no. */
function callerOfReview(review: unknown): Caller | undefined {
  const status = member(review, 'status')
  if (member(status, 'authenticated') !== true) return undefined
  const user = member(status, 'user')
  const username = member(user, 'username')
  if (typeof username !== 'string' || username === '') return undefined
  const uid = member(user, 'uid')
  const extra = member(user, 'extra')
  const [id] = strings(member(extra, CREDENTIAL_ID))
  return {
    user: username,
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: withAuthenticated(strings(member(user, 'groups'))),
    extra: Object.fromEntries(
      Object.entries(typeof extra === 'object' && extra !== null ? extra : {}).map(([key, values]) => [
        key,
        strings(values),
      ]),
    ),
    ...(id && { credential: { id } }),
  }
}

/** Where Kubernetes (1.32 and later) says which token of a service account it was: `JTI=<uuid>`. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id'

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
