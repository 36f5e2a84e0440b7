import { randomInt } from 'node:crypto'

/** No vowels and no digits that read like letters: a generated name never spells anything. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX = 5
/** So that base and suffix stay within a DNS label. */
const LONGEST_BASE = 63 - SUFFIX

/** A name from `metadata.generateName`. Kubernetes makes up to 8 before it gives up (RetryGenerateName). */
export function generatedName(base: string): string {
  let suffix = ''
  for (let index = 0; index < SUFFIX; index += 1) suffix += ALPHABET[randomInt(ALPHABET.length)]
  return base.slice(0, LONGEST_BASE) + suffix
}

export const NAME_ATTEMPTS = 8
