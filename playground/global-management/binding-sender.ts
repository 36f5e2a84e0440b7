import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DeliveredBinding } from '../../manifests/delivered-binding.js'
import type { RoleBindingEvent } from '../../ports/role-binding-deliveries.js'

/** What may happen to deliveries on their way. */
export interface DeliveryFaults {
  /** Each is sent twice. */
  readonly duplicate?: boolean
  /** The newest is sent first. */
  readonly reorder?: boolean
  /** Events that are never sent. */
  readonly drop?: (event: RoleBindingEvent) => boolean
  /** Events that are sent by a later `flush`. */
  readonly delay?: (event: RoleBindingEvent) => boolean
}

/** How a sender reaches Kairship. */
export interface BindingSenderOptions {
  /** The webhooks of the replicas of Kairship, each with the PEM of what vouches for it; they get deliveries in turn. */
  readonly replicas: readonly { readonly url: string; readonly ca: string }[]
  /** Signs deliveries. */
  readonly key: Buffer
}

/** What became of one delivery. */
export interface DeliveryAnswer {
  readonly status: number
  readonly text: string
}

/** The bindings of a page of the list. */
const MOST_ON_A_PAGE = 500

/**
 * A Global Management that writes no objects: it sends signed deliveries of role bindings, as a test says how well, and serves the list of
 * all of them, which is always right.
 */
export class BindingSender {
  readonly #bindings = new Map<string, { readonly sequence: number; readonly binding: DeliveredBinding }>()
  #waiting: RoleBindingEvent[] = []
  #sequence = 0
  #turn = 0
  #server: Server | undefined

  constructor(private readonly options: BindingSenderOptions) {}

  /** What it would list. */
  get bindings(): readonly DeliveredBinding[] {
    return [...this.#bindings.values()].map(({ binding }) => binding)
  }

  /** Gives a role, or changes what is given under its name. Sent by `flush`. */
  give(binding: DeliveredBinding): void {
    const type = this.#bindings.has(keyOf(binding)) ? 'binding.updated' : 'binding.created'
    const event = { ...this.#next(), type, binding } as const
    this.#bindings.set(keyOf(binding), { sequence: event.sequence, binding })
    this.#waiting.push(event)
  }

  /** Takes a role away. Sent by `flush`. */
  take(binding: DeliveredBinding): void {
    if (!this.#bindings.delete(keyOf(binding))) return
    this.#waiting.push({ ...this.#next(), type: 'binding.deleted', binding })
  }

  /** Sends what waits, one after the other; what fails is not sent again. */
  async flush({ duplicate, reorder, drop, delay }: DeliveryFaults = {}): Promise<readonly DeliveryAnswer[]> {
    const events = this.#waiting
    this.#waiting = events.filter(event => delay?.(event))
    const sent = events.filter(event => !delay?.(event) && !drop?.(event))
    const answers: DeliveryAnswer[] = []
    for (const event of reorder ? sent.reverse() : sent)
      for (const id of duplicate ? [randomUUID(), randomUUID()] : [randomUUID()])
        answers.push(await this.#send(event, id))
    return answers
  }

  /** Serves the list at an address of its own. @returns its URL */
  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
      const from = Number(searchParams.get('continue') ?? 0)
      const all = [...this.#bindings.values()]
      const next = from + MOST_ON_A_PAGE
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          ...{ sequence: Math.max(1, this.#sequence), total: all.length },
          items: all.slice(from, next),
          ...(next < all.length && { continue: `${next}` }),
        }),
      )
    })
    this.#server = server
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bindings`
  }

  async close(): Promise<void> {
    const server = this.#server
    if (!server) return
    server.closeAllConnections()
    await new Promise<void>(resolve => void server.close(() => resolve()))
  }

  #next() {
    this.#sequence += 1
    return { sequence: this.#sequence, occurredAt: new Date().toISOString() }
  }

  #send(event: RoleBindingEvent, id: string): Promise<DeliveryAnswer> {
    const { replicas, key } = this.options
    const { url = '', ca = '' } = replicas[this.#turn++ % replicas.length] ?? {}
    const body = JSON.stringify(event)
    const timestamp = `${Math.floor(Date.now() / 1_000)}`
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', ca, headers }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}

const keyOf = (binding: DeliveredBinding): string => `${'workspace' in binding}/${binding.name}`
