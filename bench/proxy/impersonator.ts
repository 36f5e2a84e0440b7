import { IMPERSONATOR, SERVICE_ACCOUNTS } from '../../manifests/impersonator.js'
import { resourcePath } from '../../manifests/kube.js'

/** Where Kairship asks an instance for the token that requests of callers are sent with. */
export const IMPERSONATOR_TOKEN = resourcePath(SERVICE_ACCOUNTS, { ...IMPERSONATOR, subresource: 'token' })

/** What an upstream that checks no token answers there. */
export const TOKEN_ANSWER =
  '{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{"expirationSeconds":3600},"status":{"token":"bench"}}'
