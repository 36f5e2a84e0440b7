import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type CertificateAuthority, createAuthority, type KeyPair, loadAuthority } from './certificates.js'
import { Tokens } from './tokens.js'

/** What makes a logical cluster the same one after a restart: its CA, its token key and its port. */
export interface Identity {
  readonly authority: CertificateAuthority
  readonly tokens: Tokens
  /** The port it listened on last; undefined for a new one. */
  readonly port?: number
}

interface Kept {
  readonly authority: KeyPair
  readonly tokenKey: string
  readonly port?: number
}

const FILE = 'identity.json'

/** A fresh identity that ends with the process. */
export async function freshIdentity(name: string, now: () => number): Promise<Identity> {
  return { authority: createAuthority(authorityName(name)), tokens: new Tokens(now) }
}

/** The identity kept in a folder, made and kept there if there is none. The file holds private keys: mode 0600. */
export async function keptIdentity(folder: string, name: string, now: () => number): Promise<Identity> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const kept = await read(folder)
  if (kept) {
    return {
      authority: loadAuthority(kept.authority),
      tokens: new Tokens(now, kept.tokenKey),
      ...(kept.port === undefined ? {} : { port: kept.port }),
    }
  }
  const identity = await freshIdentity(name, now)
  await keep(folder, { authority: identity.authority.keyPair, tokenKey: identity.tokens.exportKey() })
  return identity
}

/** Remembers the port, so that kubeconfigs stay right across a restart. */
export async function keepPort(folder: string, port: number): Promise<void> {
  const kept = await read(folder)
  if (kept && kept.port !== port) await keep(folder, { ...kept, port })
}

/** Clients find issuers by name, so every authority has its own. */
const authorityName = (name: string): string => `kairship-playground:${name}:${Date.now().toString(36)}`

async function read(folder: string): Promise<Kept | undefined> {
  let text: string
  try {
    text = await readFile(join(folder, FILE), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text) as Kept
  } catch (cause) {
    throw new Error(`${join(folder, FILE)} is damaged; restore a copy, or remove the folder to start over`, {
      cause,
    })
  }
}

/** Written beside and moved into place, so that a crash leaves the old file or the new one. */
async function keep(folder: string, kept: Kept): Promise<void> {
  const path = join(folder, FILE)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(kept))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}
