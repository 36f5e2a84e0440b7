import { createPrivateKey, randomBytes } from 'node:crypto'
import { decodedIn } from './decoded.js'

/** One secret value: bytes that nobody should see who did not ask for them, and what they are of. */
export interface SecretValue {
  readonly value: string
  readonly of: string
}

const MARK = 'C4n4ry'

/** A new value to plant. Letters and digits only: no form of JSON, YAML or URL changes it. */
export const newCanary = (): string => `${MARK}${randomBytes(15).toString('hex')}`

/**
 * The secret values in a text, also inside base64: canaries, what of a private key no certificate shows, signatures of tokens.
 * Certificates are public, and so are a token's claims.
 */
export function secretsIn(text: string, of: string): readonly SecretValue[] {
  const values = [text, ...decodedIn(text)].flatMap(one => [
    ...Array.from(one.matchAll(CANARY), ([value]) => value),
    ...Array.from(one.matchAll(TOKEN), ([, signature = '']) => signature),
    ...Array.from(one.matchAll(PRIVATE_KEY), ([pem]) => privatePart(pem)),
  ])
  return [...new Set(values)].map(value => ({ value, of }))
}

const CANARY = new RegExp(`${MARK}[a-f0-9]{30}`, 'g')
const TOKEN = /\beyJ[\w-]+\.[\w-]+\.([\w-]{20,})/g
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/g

/** Of the base64 of a key, the characters that hold the private number and nothing else; all of what is no key. */
function privatePart(pem: string): string {
  const body = pem.replaceAll(/-----[^-]+-----|\\n|\s/g, '')
  let number: Buffer
  try {
    const { d = '' } = createPrivateKey(pem.replaceAll('\\n', '\n')).export({ format: 'jwk' })
    number = Buffer.from(d, 'base64url')
  } catch {
    return body
  }
  const at = Buffer.from(body, 'base64').indexOf(number)
  if (at < 0) throw new Error('a private key without its private number')
  return body.slice(Math.ceil((at * 4) / 3), Math.floor(((at + number.length) * 4) / 3))
}
