import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isConflict, isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { Failure, failedPrecondition, unavailable } from '../../errors/failure.js'

/** ECDSA over P-256: in every JOSE library and in Node.js without a flag. */
export const ALGORITHM = 'ES256'
/** The Secret on the host with the keys, which `manifests/install` makes empty: Kairship may change it, and create none. */
export const KEYS_SECRET = 'kairship-instance-tokens'
const SECRETS = { group: '', version: 'v1', resource: 'secrets' } as const
const DATA_KEY = 'keys'
/** A key signs for so long; the next one is made by the replica that issues the first token after that. */
const SIGNS_MS = 7 * 24 * 3_600_000
/** A key that signs no more verifies for so long: twice the life of the last token that it signed. */
const OVERLAP_MS = 2 * 3_600_000
/** What was read counts for so long; a key that is taken out of the Secret ends its tokens by then. */
const FRESH_MS = 30_000
/** For a token that names an unknown key, the Secret is read again at most so often: another replica may just have made it. */
const COOLDOWN_MS = 1_000
/** The last read keys count for so long while the host is silent. */
const GRACE_MS = 3_600_000

const keysSchema = z.array(
  z.object({
    kid: z.string().min(1),
    /** Milliseconds since the epoch. */
    since: z.number(),
    jwk: z.object({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      d: z.string(),
    }),
  }),
)
type StoredKey = z.infer<typeof keysSchema>[number]
interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}
interface Read {
  readonly secret: Secret
  /** The newest last. */
  readonly keys: readonly StoredKey[]
  readonly at: number
}

/** What keys are read with. */
export interface SigningKeysOptions {
  readonly host: Pick<KubeApi, 'request'>
  readonly namespace: string
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/**
 * The keys that sign instance tokens, in one Secret on the host, so that all replicas have the same. Any replica may make the next key: it
 * replaces the Secret as it read it, and where another one was faster, the host refuses that and the other's key is used.
 */
export class SigningKeys {
  #read: Read | undefined
  #triedAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(private readonly options: SigningKeysOptions) {}

  /** The key that signs now, made where there is none. @throws Failure where the host does not let it be read or made */
  async signing(): Promise<{ readonly kid: string; readonly key: CryptoKey }> {
    await this.#refresh(FRESH_MS)
    let newest = this.#read?.keys.at(-1)
    if (!newest || this.options.wallClock() - newest.since >= SIGNS_MS) newest = await this.#add()
    return { kid: newest.kid, key: (await importJWK(newest.jwk, ALGORITHM)) as CryptoKey }
  }

  /** The public key of a token; undefined for one that there is not. @throws Failure UNAVAILABLE where they cannot be known now */
  async verifying(kid: string): Promise<CryptoKey | undefined> {
    await this.#refresh(FRESH_MS)
    if (!this.#find(kid)) await this.#refresh(COOLDOWN_MS)
    const found = this.#find(kid)
    if (!found) return undefined
    const { d: _, ...published } = found.jwk
    return (await importJWK(published as JWK, ALGORITHM)) as CryptoKey
  }

  #find(kid: string): StoredKey | undefined {
    return this.#read?.keys.find(key => key.kid === kid)
  }

  async #refresh(olderThanMs: number): Promise<void> {
    const { now } = this.options
    if (this.#read && now() - this.#read.at < olderThanMs) return
    if (this.#read && now() - this.#triedAt < COOLDOWN_MS) return
    this.#triedAt = now()
    this.#reading ??= this.#readSecret().finally(() => {
      this.#reading = undefined
    })
    try {
      await this.#reading
    } catch (error) {
      if (error instanceof Failure) throw error
      if (isNotFound(error))
        throw failedPrecondition(
          `the host has no Secret ${this.options.namespace}/${KEYS_SECRET} for the keys of instance tokens: apply manifests/install`,
          { reason: 'NoTokenKeys' },
        )
      if (!this.#read || now() - this.#read.at > GRACE_MS)
        throw unavailable('the keys of instance tokens cannot be read from the host now', { cause: error })
    }
  }

  async #readSecret(): Promise<void> {
    const path = resourcePath(SECRETS, { namespace: this.options.namespace, name: KEYS_SECRET })
    this.#take(await this.options.host.request<Secret>({ method: 'GET', path, timeoutMs: 10_000 }))
  }

  #take(secret: Secret): void {
    const encoded = secret.data?.[DATA_KEY]
    let keys: readonly StoredKey[] = []
    if (encoded) {
      const parsed = keysSchema.safeParse(parseJson(Buffer.from(encoded, 'base64').toString()))
      if (!parsed.success)
        throw failedPrecondition(
          `the Secret ${this.options.namespace}/${KEYS_SECRET} does not hold keys of Kairship: empty its data, and new ones are made`,
          { reason: 'NoTokenKeys' },
        )
      keys = parsed.data
    }
    this.#read = { secret, keys, at: this.options.now() }
  }

  async #add(): Promise<StoredKey> {
    const { host, namespace, wallClock } = this.options
    const { secret, keys } = this.#read as Read
    const since = wallClock()
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
    const { kty, crv, x, y, d } = await exportJWK(privateKey)
    const made = keysSchema.element.parse({
      kid: `${since.toString(36)}-${x?.slice(0, 8)}`,
      since,
      jwk: { kty, crv, x, y, d },
    })
    const kept = keys.filter((_, index) => (keys[index + 1]?.since ?? since) > since - OVERLAP_MS)
    const data = { [DATA_KEY]: Buffer.from(JSON.stringify([...kept, made])).toString('base64') }
    try {
      const path = resourcePath(SECRETS, { namespace, name: KEYS_SECRET })
      this.#take(
        await host.request<Secret>({ method: 'PUT', path, body: { ...secret, data }, timeoutMs: 10_000 }),
      )
    } catch (error) {
      if (!isConflict(error)) throw error
      await this.#readSecret()
    }
    const newest = this.#read?.keys.at(-1)
    if (!newest) throw unavailable('another replica removed the keys of instance tokens: try again')
    return newest
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
