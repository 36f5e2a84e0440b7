import type { Hono } from 'hono'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { unavailable } from '../errors/failure.js'
import type { RestEnv } from '../rest/env.js'
import { DELIVERIES_PATH } from './deliveries-route.js'
import { signedHeaders } from './signature.js'

/** The log says so at most this often, milliseconds: anyone can send what looks like a delivery. */
const SAID_MS = 60_000
/** `/readyz` says so for so long after the last delivery, milliseconds: senders repeat theirs for hours. */
const SHOWN_MS = 3_600_000

/** What the refusal of deliveries depends on. */
export interface UnsetWebhookOptions {
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * The place of the role-binding webhook where none is configured. A sender that were told that its signature or its token is wrong would be
 * looked at in vain: the setting is missing here. The sender reads that it may repeat the delivery; the operator reads which setting it is.
 */
export class UnsetWebhook {
  readonly #now: () => number
  #refused = 0
  #lastAt = Number.NEGATIVE_INFINITY
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(private readonly options: UnsetWebhookOptions) {
    this.#now = options.now ?? Date.now
  }

  /** Adds the route. What has not the form of a delivery is refused as with a webhook, and is nothing to tell the operator. */
  addTo(app: Hono<RestEnv>): void {
    app.post(DELIVERIES_PATH, c => {
      signedHeaders(name => c.req.header(name), this.#now())
      this.#note()
      throw unavailable(
        'this Kairship takes no deliveries of role bindings: its operator has to set that up',
        {
          retryAfterSeconds: 60,
        },
      )
    })
  }

  /** For people who read `/readyz`: nothing, unless deliveries came. */
  notes(): readonly string[] {
    if (this.#now() - this.#lastAt > SHOWN_MS) return []
    const at = new Date(this.#lastAt).toISOString()
    return [`${this.#refused} deliveries of role bindings were refused, the last at ${at}: ${WHY}`]
  }

  #note(): void {
    this.#lastAt = this.#now()
    this.#refused += 1
    this.options.meter.count('kairship_role_binding_deliveries_total', { result: 'unconfigured' })
    if (this.#lastAt - this.#saidAt < SAID_MS) return
    this.#saidAt = this.#lastAt
    this.options.log.warn({ refused: this.#refused }, `a delivery of role bindings was refused: ${WHY}`)
  }
}

const WHY = 'the webhook has no keys, set roleBindingWebhookKeysFile'
