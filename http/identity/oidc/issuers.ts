import { hash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { AuthenticationConfiguration, IssuerConfiguration } from './configuration-schema.js'
import { Issuer, type IssuerDependencies } from './issuer.js'
import type { KeysStatus } from './issuer-keys.js'

/** The issuers whose tokens are accepted now. */
export class Issuers {
  #current: ReadonlyMap<string, Issuer> = new Map()

  constructor(private readonly dependencies: IssuerDependencies) {}

  /** Issuers that are configured as before stay, with their keys. The tokens of all others end now. */
  replace({ jwt }: AuthenticationConfiguration): void {
    const before = this.#current
    this.#current = new Map(
      jwt.map(configuration => {
        const known = before.get(configuration.issuer.url)
        const stays = known && JSON.stringify(known.configuration) === JSON.stringify(configuration)
        return [configuration.issuer.url, stays ? known : new Issuer(configuration, this.dependencies)]
      }),
    )
    const kept = new Set(this.#current.values())
    for (const issuer of before.values()) if (!kept.has(issuer)) issuer.end()
  }

  /** The issuer that a token names, if it is one of these. Nothing of the token is verified yet. */
  of(token: string): Issuer | undefined {
    if (this.#current.size === 0) return undefined
    try {
      return this.#current.get(decodeJwt(token).iss ?? '')
    } catch {
      return undefined
    }
  }

  /** As they are configured, in the order of the file. */
  configurations(): readonly IssuerConfiguration[] {
    return [...this.#current.values()].map(({ configuration }) => configuration)
  }

  /** An issuer that is configured now, and a text that is another one once it is configured otherwise; undefined for no such issuer. */
  configured(
    url: string,
  ): { readonly fingerprint: string; readonly vouching: { readonly isOver: boolean } } | undefined {
    const issuer = this.#current.get(url)
    return (
      issuer && { fingerprint: hash('sha256', JSON.stringify(issuer.configuration), 'hex'), vouching: issuer }
    )
  }

  statuses(): readonly KeysStatus[] {
    return [...this.#current.values()].map(issuer => issuer.status())
  }

  close(): void {
    for (const issuer of this.#current.values()) issuer.end()
    this.#current = new Map()
  }
}
