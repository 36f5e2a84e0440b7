import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'
import { makeFolder } from '../fleet/make-folder.js'

/** A private key of elliptic curve P-256, as JWK (RFC 7517). */
const privateKey = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

const schema = z.object({
  /** Where it listened; part of its name, and so of every token. */
  port: z.int().min(1).max(65_535).optional(),
  /** What all its users type. */
  password: z.string().min(8),
  key: privateKey.extend({ kid: z.string(), alg: z.literal('ES256'), use: z.literal('sig') }),
  /** Signs the cookies of the pages on which people sign in. */
  cookieKey: z.string().min(32),
  /** Sessions, refresh tokens and what they were granted for: when each ends (milliseconds since the epoch), and what it says. */
  entries: z.record(z.string(), z.object({ endsAt: z.number(), payload: z.looseObject({}) })).default({}),
})

/** What a playground's issuer keeps: with it, logins stay good over a restart. */
export type KeptIssuer = z.output<typeof schema>

const FILE = 'issuer.json'

/** What the folder keeps, or a new one: also without a folder, which keeps nothing. @throws Error naming a file that cannot be read */
export async function readIssuer(folder: string | undefined): Promise<KeptIssuer> {
  if (folder === undefined) return newIssuer()
  const path = join(folder, FILE)
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return newIssuer()
    throw new Error(
      `${path} cannot be read; delete it to have a new issuer, to which everyone logs in anew`,
      {
        cause: error,
      },
    )
  }
}

/** Keeps it, readable by the owner only: it holds a private key. */
export function keepIssuer(folder: string | undefined, kept: KeptIssuer): void {
  if (folder === undefined) return
  makeFolder(folder)
  const path = join(folder, FILE)
  writeFileSync(`${path}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

async function newIssuer(): Promise<KeptIssuer> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = {
    ...(await exportJWK(privateKey)),
    kid: randomBytes(6).toString('hex'),
    alg: 'ES256',
    use: 'sig',
  }
  return schema.parse({
    password: randomBytes(6).toString('hex'),
    key,
    cookieKey: randomBytes(32).toString('hex'),
  })
}
