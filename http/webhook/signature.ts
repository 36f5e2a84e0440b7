import { createHmac, timingSafeEqual } from 'node:crypto'
import { unauthenticated } from '../errors/failure.js'

/** How far the sender's clock may be from ours, seconds. A delivery that is older is not accepted again, whoever has its bytes. */
export const TOLERANCE_SECONDS = 300
/** Signatures of a delivery that are looked at: a sender that changes its secret sends two. */
const MOST_SIGNATURES = 8

/** The headers of a delivery, as Standard Webhooks names them. */
export interface SignedHeaders {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: string
  readonly signatures: readonly Buffer[]
}

/**
 * Reads the headers that sign a delivery, before its body is read.
 * @param header the value of a header, undefined for none
 * @param now milliseconds since 1970
 * @throws Failure UNAUTHENTICATED that says which header is missing or wrong
 */
export function signedHeaders(header: (name: string) => string | undefined, now: number): SignedHeaders {
  const [id = '', timestamp = ''] = [header('webhook-id'), header('webhook-timestamp')]
  if (!/^[\x21-\x7e]{1,256}$/.test(id)) throw unauthenticated('the header webhook-id is missing or too long')
  if (!/^\d{1,12}$/.test(timestamp))
    throw unauthenticated('the header webhook-timestamp must have seconds since 1970')
  if (Math.abs(Number(timestamp) * 1_000 - now) > TOLERANCE_SECONDS * 1_000)
    throw unauthenticated(
      `the header webhook-timestamp is more than ${TOLERANCE_SECONDS} s from the time here: send the delivery again, signed anew`,
    )
  const signatures = (header('webhook-signature') ?? '')
    .split(' ')
    .slice(0, MOST_SIGNATURES)
    .flatMap(signature => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1] ?? [])
    .map(text => Buffer.from(text, 'base64'))
  if (signatures.length === 0)
    throw unauthenticated('the header webhook-signature must have v1,<base64 of HMAC-SHA256>')
  return { id, timestamp, signatures }
}

/**
 * Refuses a delivery that none of the secrets signed. Every signature is compared with each, in constant time, so that the time of an
 * answer says nothing.
 * @throws Failure UNAUTHENTICATED
 */
export function verifySignature(
  { id, timestamp, signatures }: SignedHeaders,
  body: Uint8Array,
  secrets: readonly Uint8Array[],
): void {
  let matches = 0
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
    for (const signature of signatures)
      matches += Number(signature.length === expected.length && timingSafeEqual(signature, expected))
  }
  if (matches === 0) throw unauthenticated('the signature is not that of a secret that Kairship has')
}
