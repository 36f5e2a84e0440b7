/** FNV-1a, 32 bits, of the UTF-8 bytes: the hash Kubernetes and Karmada put into names. */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) {
    hash ^= byte
    hash = Math.imul(hash, 0x01000193) >>> 0
  }
  return hash
}

/** Letters and digits that form no words by accident (Kubernetes' rand.SafeEncodeString). */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789'

/** Writes text in characters that are safe in names, as Kubernetes does. */
export const safeEncode = (text: string): string =>
  [...Buffer.from(text)].map(byte => SAFE[byte % SAFE.length]).join('')
