import { errors, type JWTVerifyGetKey } from 'jose'
import type { IssuerDocuments } from '../../../ports/issuer-documents.js'
import type { Log } from '../../../ports/log.js'
import type { Meter } from '../../../ports/meter.js'
import type { IssuerConfiguration } from './configuration-schema.js'
import { type PublishedKeys, readKeys } from './published-keys.js'

/** Keys are read again this often: a key that the issuer withdrew counts for so long. */
const REFRESH_MS = 300_000
/** And this soon after they could not be read, as in kube-apiserver. */
const RETRY_MS = 10_000
/** Tokens of unknown keys cause at most one reading in this time: anyone can send them. */
const COOLDOWN_MS = 10_000

/** What an issuer's keys are read with. */
export interface IssuerKeysOptions {
  readonly issuer: IssuerConfiguration['issuer']
  readonly documents: IssuerDocuments
  /** How long the last known keys count while the issuer cannot be read, milliseconds. */
  readonly graceMs: number
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Runs work later; returns what calls that off. */
  readonly schedule: (work: () => void, ms: number) => () => void
}

/** How an issuer's keys are. */
export interface KeysStatus {
  readonly issuer: string
  /** Whether tokens can be verified now. */
  readonly isUsable: boolean
  readonly count: number
  /** Milliseconds since they were read; absent when they never were. */
  readonly ageMs?: number
  /** How long they count if the issuer cannot be read again, milliseconds. */
  readonly leftMs: number
  /** Why the last reading failed; absent when it did not. */
  readonly problem?: string
}

/** Thrown for tokens of an issuer whose keys are not known, or were read too long ago. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/**
 * The keys of one issuer: read at once, again every five minutes, and when a token names an unknown key. One reading is under way at a
 * time, whatever callers send. While the issuer cannot be read, the last known keys count for a stated time.
 */
export class IssuerKeys {
  readonly #ending = new AbortController()
  #known: { readonly keys: PublishedKeys; readonly at: number } | undefined
  #problem: string | undefined
  #underWay: Promise<void> | undefined
  #beganAt = Number.NEGATIVE_INFINITY
  #callOff: () => void = () => undefined

  constructor(private readonly options: IssuerKeysOptions) {
    this.#begin()
  }

  /** The key of a token, as jose asks for it. @throws KeysUnavailable; jose's error for a key that the issuer does not publish */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    const known = this.#usable() ?? (await this.#readAgain())
    if (!known) throw new KeysUnavailable(this.#problem ?? 'they are not read yet')
    try {
      return await known.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const fresh = await this.#readAgain()
      if (!fresh || fresh === known) throw error
      return fresh.find(header, token)
    }
  }

  status(): KeysStatus {
    const { issuer, graceMs } = this.options
    const age = this.#known && this.options.now() - this.#known.at
    return {
      issuer: issuer.url,
      isUsable: this.#usable() !== undefined,
      count: this.#known?.keys.count ?? 0,
      ...(age !== undefined && { ageMs: age }),
      leftMs: age === undefined ? 0 : Math.max(0, graceMs - age),
      ...(this.#problem !== undefined && { problem: this.#problem }),
    }
  }

  /** Reads nothing more. */
  close(): void {
    this.#ending.abort(new KeysUnavailable('the issuer is not configured any more'))
    this.#callOff()
    this.options.documents.close().catch(() => undefined)
  }

  #usable(): PublishedKeys | undefined {
    const known = this.#known
    return known && this.options.now() - known.at <= this.options.graceMs ? known.keys : undefined
  }

  /** Joins the reading under way, or begins one unless one began a moment ago. */
  async #readAgain(): Promise<PublishedKeys | undefined> {
    if (!this.#underWay && this.options.now() - this.#beganAt >= COOLDOWN_MS) this.#begin()
    await this.#underWay
    return this.#usable()
  }

  #begin(): void {
    this.#callOff()
    this.#beganAt = this.options.now()
    this.#underWay = this.#read().finally(() => {
      this.#underWay = undefined
      if (this.#ending.signal.aborted) return
      const wait = this.#problem === undefined ? REFRESH_MS : RETRY_MS
      this.#callOff = this.options.schedule(() => this.#begin(), wait)
    })
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { issuer, documents, log, meter, now } = this.options
    try {
      const keys = await readKeys(issuer, documents, this.#ending.signal)
      if (this.#ending.signal.aborted) return
      // The same keys stay the same object: they are imported once.
      const same = this.#known?.keys.text === keys.text ? this.#known.keys : undefined
      if (!same || this.#problem !== undefined)
        log.info({ issuer: issuer.url, keys: keys.count }, 'the keys of an issuer of tokens were read')
      this.#known = { keys: same ?? keys, at: now() }
      this.#problem = undefined
      meter.count('kairship_issuer_key_reads_total', { issuer: issuer.url, outcome: 'success' })
    } catch (error) {
      if (this.#ending.signal.aborted) return
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== this.#problem)
        log.warn(
          { issuer: issuer.url, problem, leftMs: this.status().leftMs },
          'the keys of an issuer of tokens cannot be read: the last known ones count for a while, then its tokens are refused',
        )
      this.#problem = problem
      meter.count('kairship_issuer_key_reads_total', { issuer: issuer.url, outcome: 'failure' })
    }
  }
}
