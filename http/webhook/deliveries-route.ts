import { hash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { resourceOfDelivered } from '../../manifests/delivered-binding.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import {
  BusyBindingError,
  ForeignBindingError,
  type Reception,
  type RoleBindingDeliveries,
  type RoleBindingEvent,
} from '../../ports/role-binding-deliveries.js'
import { ServiceSettingError } from '../../ports/service-error.js'
import { Code } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { failedPrecondition, methodNotAllowed, unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { type RolePlaces, roleWarnings } from '../identity/role-places.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import type { RestEnv } from '../rest/env.js'
import { originOf } from '../rest/origin.js'
import { parseEvent } from './event.js'
import { type SignedHeaders, signedHeaders, TOLERANCE_SECONDS, verifySignature } from './signature.js'
import { UnprovedBodies } from './unproved-bodies.js'

/** Where Global Management delivers events. No other credential is looked at here, and this one opens nothing else. */
export const DELIVERIES_PATH = '/webhooks/v1/role-bindings'

/** Bytes of one event at most: 256 subjects and 256 namespaces with the longest names have some 100 KiB. */
const MOST_BYTES = 256 * 1024
/** Deliveries that are verified and stored at once. */
const MOST_AT_ONCE = 32
/** Bodies that are read at once: with the largest, 16 MiB. */
const MOST_READ = 64
/** Delivery ids that are remembered; the sequence of each binding keeps a repetition harmless beyond. */
const MOST_IDS = 16_384

/** How deliveries are verified and stored. */
export interface WebhookOptions {
  readonly deliveries: RoleBindingDeliveries
  /** The secrets that count now. @throws ServiceSettingError */
  secrets(): Promise<readonly Uint8Array[]>
}

/** What the route depends on besides. */
export interface DeliveriesOptions extends WebhookOptions {
  readonly audit: Audit
  readonly log: Log
  readonly meter: Meter
  readonly places: RolePlaces
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Who a delivery is of, in the audit log. */
const SENDER = { user: 'kairship:role-binding-webhook', groups: [], extra: {} } as const

/** Adds the route of the role-binding webhook, which is authenticated by its signature alone. */
export function addDeliveries(app: Hono<RestEnv>, options: DeliveriesOptions): void {
  const limit = new ConcurrencyLimit('deliveries under way', MOST_AT_ONCE)
  const bodies = new UnprovedBodies({ most: MOST_READ, mostBytes: MOST_BYTES })
  const seen = new SeenIds()
  const { now = Date.now } = options
  app.post(DELIVERIES_PATH, async c => {
    const headers = signedHeaders(name => c.req.header(name), now())
    const body = await bodies.read(c.req.raw.body)
    verifySignature(headers, body, await secretsOf(options))
    const release = limit.take('', 'the webhook')
    try {
      const answer = await receive(c, options, { headers, body, seen, now })
      options.meter.count('kairship_role_binding_deliveries_total', { result: answer.result })
      return c.json(answer)
    } finally {
      release()
    }
  })
  app.all(DELIVERIES_PATH, c => {
    c.header('allow', 'POST')
    throw methodNotAllowed(`${c.req.method} is not served at ${DELIVERIES_PATH}: use POST`)
  })
}

/** An operator mends it: the sender reads that a retry may help. */
async function secretsOf({ secrets, log }: DeliveriesOptions): Promise<readonly Uint8Array[]> {
  try {
    return await secrets()
  } catch (error) {
    if (!(error instanceof ServiceSettingError)) throw error
    log.error({ problem: error.message }, 'deliveries of role bindings cannot be verified')
    throw unavailable('the secrets of the webhook cannot be read now', { retryAfterSeconds: 30 })
  }
}

interface Verified {
  readonly headers: SignedHeaders
  readonly body: Buffer
  readonly seen: SeenIds
  readonly now: () => number
}

/** What a sender reads of a delivery that was taken. */
interface Answer {
  readonly result: Reception
  /** What the binding gives beyond what its author may mean, as the API says it; absent where that is nothing. */
  readonly warnings?: readonly string[]
}

/** Stores a verified delivery and leaves an audit record of it, whatever becomes of it. */
async function receive(
  c: Context<RestEnv>,
  { deliveries, audit, places }: DeliveriesOptions,
  { headers, body, seen, now }: Verified,
): Promise<Answer> {
  const began = performance.now()
  let event: RoleBindingEvent | undefined
  const record = (code: Code) =>
    audit.record({
      ...originOf(c),
      requestId: c.var.requestId,
      wire: 'rest',
      operation: `POST ${DELIVERIES_PATH}`,
      caller: SENDER,
      action: actionOf(event),
      code,
      durationMs: performance.now() - began,
    })
  try {
    event = parseEvent(body.toString('utf8'))
    // Of the body, too: what a sender signs under an id that it has used is not left out unread.
    const delivery = hash('sha256', Buffer.concat([Buffer.from(`${headers.id}.`), body]), 'base64')
    const known = seen.has(delivery, now())
    const result = known ? 'unchanged' : await taken(deliveries, event, c.req.raw.signal)
    seen.add(delivery, now())
    record(Code.OK)
    const warnings = warningsIn(event, places)
    return { result, ...(warnings.length > 0 && { warnings }) }
  } catch (error) {
    record(toFailure(error).code)
    throw error
  }
}

async function taken(
  deliveries: RoleBindingDeliveries,
  event: RoleBindingEvent,
  signal: AbortSignal,
): Promise<Reception> {
  try {
    return await deliveries.take(event, signal)
  } catch (error) {
    if (error instanceof ForeignBindingError)
      throw failedPrecondition(error.message, { reason: 'ForeignBinding', cause: error })
    if (error instanceof BusyBindingError)
      throw unavailable(error.message, { retryAfterSeconds: 1, cause: error })
    throw error
  }
}

/** Of a binding that gives something: one that is deleted gives nothing any more. */
const warningsIn = (event: RoleBindingEvent, places: RolePlaces): readonly string[] =>
  'binding' in event && event.type !== 'binding.deleted' ? roleWarnings(event.binding, places) : []

function actionOf(event: RoleBindingEvent | undefined) {
  if (!event || !('binding' in event)) return { verb: 'update', resource: 'instancerolebindings' } as const
  const { type, binding } = event
  const verb = type === 'binding.deleted' ? 'delete' : 'update'
  return { verb, resource: resourceOfDelivered(binding).resource, name: binding.name } as const
}

/** Deliveries that were acknowledged, each named by its id and its body, for as long as their timestamps count. */
class SeenIds {
  readonly #ids = new Map<string, number>()

  has(id: string, now: number): boolean {
    const at = this.#ids.get(id)
    return at !== undefined && now - at <= 2 * TOLERANCE_SECONDS * 1_000
  }

  add(id: string, now: number): void {
    this.#ids.delete(id)
    this.#ids.set(id, now)
    for (const oldest of this.#ids.keys()) {
      if (this.#ids.size <= MOST_IDS) return
      this.#ids.delete(oldest)
    }
  }
}
