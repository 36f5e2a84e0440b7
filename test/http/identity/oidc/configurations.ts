import { parseAuthentication } from '../../../../http/identity/oidc/configuration.js'
import type { IssuerConfiguration } from '../../../../http/identity/oidc/configuration-schema.js'

/** The least that an entry of `jwt` has. */
export const leastIssuer = {
  issuer: { url: 'https://issuer.example', audiences: ['kairship'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
}

/** A configuration as a document. */
export const documentWith = (...jwt: readonly object[]) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt,
})

/** One issuer as the configuration's reader gives it. */
export function issuerWith(fields: object): IssuerConfiguration {
  const [first] = parseAuthentication(JSON.stringify(documentWith({ ...leastIssuer, ...fields })), 'test').jwt
  return first as IssuerConfiguration
}
