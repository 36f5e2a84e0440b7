import { open } from 'node:fs/promises'
import { ServiceSettingError } from '../../../ports/service-error.js'
import { parseAuthentication } from './configuration.js'
import type { IssuerDependencies } from './issuer.js'
import type { KeysStatus } from './issuer-keys.js'
import { Issuers } from './issuers.js'

/**
 * How often the file is read again, milliseconds: an issuer that is removed ends its tokens within this time, and with the look at what is
 * open (`LOOK_MS`) its streams within a second. Reading costs less than notices of changes could save, and those do not come from every file
 * system: in a Pod the file is a link that is exchanged.
 */
export const READ_EVERY_MS = 250
/** 64 issuers with their authorities have a tenth of it. */
const MOST_BYTES = 1 << 20

/** What the configuration's file is followed with. */
export interface AuthenticationFileOptions extends IssuerDependencies {
  readonly file: string
}

/**
 * The file of the setting `authenticationConfig`. It is read again four times a second, and applied when it changed; a file that cannot be
 * used leaves what was applied before, and is reported by log, metric and `/readyz`.
 */
export class AuthenticationFile {
  readonly issuers: Issuers
  #seen: string | undefined
  #problem: string | undefined
  #callOff: () => void = () => undefined
  #isClosed = false

  private constructor(private readonly options: AuthenticationFileOptions) {
    this.issuers = new Issuers(options)
  }

  /** Reads the file, and follows it. @throws ServiceSettingError for a file that cannot be used */
  static async open(options: AuthenticationFileOptions): Promise<AuthenticationFile> {
    const file = new AuthenticationFile(options)
    const text = await file.#read()
    file.issuers.replace(parseAuthentication(text, file.#where))
    file.#seen = text
    options.meter.gauge('kairship_authentication_config_refused', 0)
    file.#follow()
    return file
  }

  /** Lines for `/readyz`. */
  notes(): readonly string[] {
    const problem = this.#problem
    return [
      ...(problem === undefined
        ? []
        : [`authentication configuration: refused, and the one before counts: ${problem}`]),
      ...this.statuses().map(noteOf),
    ]
  }

  statuses(): readonly KeysStatus[] {
    return this.issuers.statuses()
  }

  /** Reads the file now, and applies it if it changed. Never rejects. */
  async check(): Promise<void> {
    const { log, meter, file } = this.options
    let text: string | undefined
    try {
      text = await this.#read()
      if (text === this.#seen || this.#isClosed) return
      this.issuers.replace(parseAuthentication(text, this.#where))
      this.#problem = undefined
      meter.count('kairship_authentication_config_reloads_total', { outcome: 'success' })
      meter.gauge('kairship_authentication_config_refused', 0)
      log.info({ file, issuers: this.statuses().length }, 'the authentication configuration was applied')
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem === this.#problem && text === this.#seen) return
      this.#problem = problem
      meter.count('kairship_authentication_config_reloads_total', { outcome: 'failure' })
      meter.gauge('kairship_authentication_config_refused', 1)
      log.error(
        { file, problem },
        'the authentication configuration cannot be used: the one that was applied before still counts',
      )
    }
    this.#seen = text
  }

  /** Follows the file no longer, and ends all its issuers. */
  close(): void {
    this.#isClosed = true
    this.#callOff()
    this.issuers.close()
  }

  get #where(): string {
    return `authenticationConfig: ${this.options.file}`
  }

  #follow(): void {
    if (this.#isClosed) return
    this.#callOff = this.options.schedule(() => void this.check().then(() => this.#follow()), READ_EVERY_MS)
  }

  async #read(): Promise<string> {
    try {
      const handle = await open(this.options.file)
      try {
        const { size } = await handle.stat()
        if (size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`)
        return await handle.readFile('utf8')
      } finally {
        await handle.close()
      }
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause)
      throw new ServiceSettingError(`${this.#where} cannot be read: ${words}`, { cause })
    }
  }
}

function noteOf({ issuer, isUsable, count, ageMs = 0, leftMs, problem }: KeysStatus): string {
  if (problem === undefined)
    return isUsable
      ? `issuer ${issuer}: ${count} keys, read ${seconds(ageMs)} ago`
      : `issuer ${issuer}: its keys are being read`
  return isUsable
    ? `issuer ${issuer}: its last known keys count for another ${seconds(leftMs)}: ${problem}`
    : `issuer ${issuer}: its tokens are refused, since its keys are not known: ${problem}`
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
