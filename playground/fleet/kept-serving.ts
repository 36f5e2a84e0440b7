import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const address = z.string().regex(/^.+:\d{1,5}$/)
const schema = z.object({
  addresses: z.object({ listen: address, grpcListen: address, healthListen: address }),
  tls: z.object({ certificate: z.string(), key: z.string(), certificateAuthority: z.string().optional() }),
})

/** Where Kairship listened in a playground, and with which certificate: a restart takes both, so that saved kubeconfigs stay good. */
export type KeptServing = z.infer<typeof schema>
export type Addresses = KeptServing['addresses']

const FILE = 'kairship.json'
/** A certificate that ends sooner is made anew, milliseconds. */
const LEAST_VALIDITY_MS = 7 * 24 * 3_600_000

/**
 * What the folder keeps; undefined where it keeps nothing, or a certificate that is about to end.
 * @throws Error naming the file when it cannot be read
 */
export function readServing(folder: string, now = Date.now()): KeptServing | undefined {
  const path = join(folder, FILE)
  try {
    const kept = schema.parse(JSON.parse(readFileSync(path, 'utf8')))
    const { validTo } = new X509Certificate(kept.tls.certificate)
    return Date.parse(validTo) - now < LEAST_VALIDITY_MS ? undefined : kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read; delete it to have new addresses and a new certificate`, {
      cause: error,
    })
  }
}

/** Keeps it, readable by the owner only: it holds a private key. */
export function keepServing(folder: string, serving: KeptServing): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, FILE)
  writeFileSync(`${path}.new`, `${JSON.stringify(serving, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** The addresses to listen on: the kept ones where the wanted ones are of the same host and leave the port open. */
export function addressesFor(wanted: Addresses, kept: Addresses | undefined): Addresses {
  const of = (name: keyof Addresses): string => {
    const host = wanted[name].replace(/:0$/, ':')
    return kept && host !== wanted[name] && kept[name].startsWith(host) ? kept[name] : wanted[name]
  }
  return { listen: of('listen'), grpcListen: of('grpcListen'), healthListen: of('healthListen') }
}
