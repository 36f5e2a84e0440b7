import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { KeptIssuer } from './kept-issuer.js'

/** A playground has a few sessions. The oldest goes first. */
const MOST_ENTRIES = 1_000
/** For what has no end of its own, seconds. */
const LONGEST_S = 14 * 86_400
/** What belongs to a login and ends with it. */
const GRANTED = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken', 'DeviceCode'])

/** What an issuer remembers of sessions, codes and tokens; kept where the playground keeps its state. */
export class IssuerEntries {
  readonly #entries: Map<string, KeptIssuer['entries'][string]>

  /** @param changed called after each change */
  constructor(
    private readonly kept: KeptIssuer,
    private readonly changed: () => void,
    private readonly now: () => number = Date.now,
  ) {
    this.#entries = new Map(Object.entries(kept.entries))
  }

  /** The entries of one of the provider's models, as it asks for them. */
  adapter(model: string): Adapter {
    const keyOf = (id: string) => `${model}:${id}`
    const findBy = async (field: 'uid' | 'userCode', value: string) =>
      this.#find(([key, { payload }]) => key.startsWith(`${model}:`) && payload[field] === value)
    return {
      find: async id => this.#get(keyOf(id)),
      findByUid: uid => findBy('uid', uid),
      findByUserCode: userCode => findBy('userCode', userCode),
      upsert: async (id, payload, expiresIn = LONGEST_S) => this.#set(keyOf(id), payload, expiresIn),
      consume: async id => {
        const payload = this.#get(keyOf(id))
        if (payload) payload.consumed = Math.floor(this.now() / 1_000)
        this.#save()
      },
      destroy: async id => {
        if (this.#entries.delete(keyOf(id))) this.#save()
      },
      revokeByGrantId: async grantId => {
        for (const [key, { payload }] of this.#entries)
          if (payload.grantId === grantId && GRANTED.has(key.slice(0, key.indexOf(':'))))
            this.#entries.delete(key)
        this.#save()
      },
    }
  }

  #get(key: string): AdapterPayload | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.endsAt > this.now() ? (entry.payload as AdapterPayload) : undefined
  }

  #find(wanted: (entry: [string, KeptIssuer['entries'][string]]) => boolean): AdapterPayload | undefined {
    const found = [...this.#entries].find(wanted)
    return found && this.#get(found[0])
  }

  #set(key: string, payload: AdapterPayload, expiresIn: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { endsAt: this.now() + expiresIn * 1_000, payload: { ...payload } })
    for (const [other, { endsAt }] of this.#entries)
      if (endsAt <= this.now() || this.#entries.size > MOST_ENTRIES) this.#entries.delete(other)
    this.#save()
  }

  #save(): void {
    this.kept.entries = Object.fromEntries(this.#entries)
    this.changed()
  }
}
