import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { z } from 'zod'
import type { IssuerDocuments } from '../../../ports/issuer-documents.js'
import type { IssuerConfiguration } from './configuration-schema.js'

/** The keys that an issuer published. */
export interface PublishedKeys {
  /** The set as it was published, without keys that no allowed algorithm uses. */
  readonly text: string
  readonly count: number
  /** Finds the key that a token's header names. */
  readonly find: ReturnType<typeof createLocalJWKSet>
}

/** Issuers have a few keys. A token without `kid` is verified with each, so their number is a cost of each rubbish token. */
const MOST_KEYS = 100

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(MOST_KEYS) })

/**
 * Reads an issuer's keys: its discovery document (OpenID Connect Discovery 1.0, section 4) names the place of its key set (RFC 7517).
 * @throws Error in words for documents that cannot be read, or are none
 */
export async function readKeys(
  { url, discoveryURL }: IssuerConfiguration['issuer'],
  documents: IssuerDocuments,
  signal: AbortSignal,
): Promise<PublishedKeys> {
  const place = discoveryURL || `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { data: found } = discovery.safeParse(await documents.read(place, signal))
  if (!found) throw new Error(`${place} is no discovery document: it needs issuer and jwks_uri`)
  const { issuer, jwks_uri: keysAt } = found
  if (issuer !== url)
    throw new Error(`${place} is of the issuer ${JSON.stringify(issuer)}, and not of ${JSON.stringify(url)}`)
  if (!URL.canParse(keysAt) || new URL(keysAt).protocol !== 'https:')
    throw new Error(`${place} names the key set ${JSON.stringify(keysAt)}, which must begin with https://`)
  const { data: published } = keySet.safeParse(await documents.read(keysAt, signal))
  if (!published) throw new Error(`${keysAt} is no set of at most ${MOST_KEYS} keys`)
  const keys = published.keys.filter(({ kty }) => kty === 'RSA' || kty === 'EC')
  return {
    text: JSON.stringify(keys),
    count: keys.length,
    find: createLocalJWKSet({ keys } as JSONWebKeySet),
  }
}
