import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Audit } from '../../../http/audit/audit.js'
import type { AuditRecord } from '../../../http/audit/record.js'
import { unauthenticated } from '../../../http/errors/failure.js'
import { restApp } from '../../../http/rest/app.js'
import { addDeliveries, DELIVERIES_PATH } from '../../../http/webhook/deliveries-route.js'
import {
  BusyBindingError,
  ForeignBindingError,
  type Reception,
  type RoleBindingEvent,
} from '../../../ports/role-binding-deliveries.js'
import { ServiceSettingError } from '../../../ports/service-error.js'
import { silent, unmetered } from '../../silent.js'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const SECONDS = NOW / 1_000
const [secret, next] = [randomBytes(32), randomBytes(32)]
const event = {
  type: 'binding.updated',
  sequence: 7,
  occurredAt: '2026-11-24T12:00:00Z',
  binding: { name: 'team', instance: 'eu', role: 'Editor', subjects: [{ kind: 'User', name: 'ann' }] },
} as const

interface Sent {
  readonly id?: string
  readonly timestamp?: number | string
  readonly body?: string
  readonly by?: Buffer
  /** Replaces the header. */
  readonly signature?: string
}

/** The route in the REST app, over deliveries that a test decides. */
function receiving(take: () => Promise<Reception> = async () => 'stored') {
  const events: RoleBindingEvent[] = []
  const records: AuditRecord[] = []
  let secrets = async (): Promise<readonly Uint8Array[]> => [secret, next]
  const app = restApp({
    ...{ operations: [], dispatcher: {} as never, log: silent, meter: unmetered },
    audit: new Audit(record => records.push(record)),
    authenticator: { authenticate: () => Promise.reject(unauthenticated('no token')) } as never,
    anonymous: app =>
      addDeliveries(app, {
        ...{
          audit: new Audit(record => records.push(record)),
          log: silent,
          meter: unmetered,
          now: () => NOW,
        },
        deliveries: {
          take: async delivered => {
            events.push(delivered)
            return take()
          },
        },
        secrets: () => secrets(),
      }),
  })
  const send = async ({
    id = 'msg_1',
    timestamp = SECONDS,
    body = JSON.stringify(event),
    by = secret,
    signature,
  }: Sent = {}) => {
    const made = createHmac('sha256', by).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': id },
      ...{ 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature ?? `v1,${made}` },
    }
    const answer = await app.request(DELIVERIES_PATH, { method: 'POST', headers, body }, {})
    const { result, message, details } = (await answer.json()) as Record<string, never>
    return { status: answer.status, said: result ?? message, details: JSON.stringify(details) }
  }
  return {
    ...{ app, send, events, records },
    secretsAre: (read: typeof secrets) => {
      secrets = read
    },
  }
}

describe('the role-binding webhook', () => {
  it('takes a delivery that one of its secrets signed, and says what became of it', async () => {
    const { send, events, records } = receiving()
    expect(await send()).toMatchObject({ status: 200, said: 'stored' })
    expect(await send({ id: 'msg_2', by: next })).toMatchObject({ status: 200, said: 'stored' })
    expect(events).toEqual([event, event])
    expect(records).toHaveLength(2)
    expect(records[0]).toMatchObject({
      caller: { user: 'kairship:role-binding-webhook' },
      action: { verb: 'update', resource: 'instancerolebindings', name: 'team' },
      code: 0,
    })
  })

  const text = JSON.stringify(event)
  const own = (body: string, id = 'msg_1', timestamp: number | string = SECONDS) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  it.each<[string, Sent]>([
    ['of another secret', { by: randomBytes(32) }],
    ['of an empty secret', { by: Buffer.alloc(0) }],
    ['of another body', { signature: own(text), body: text.replace('Editor', 'Admin') }],
    ['of another id', { signature: own(text, 'msg_2') }],
    ['of another time', { signature: own(text, 'msg_1', SECONDS - 1) }],
    [
      'moved between id and time',
      { id: 'msg', timestamp: SECONDS, signature: own(text, `msg.${SECONDS}`, '') },
    ],
    ['without one', { signature: '' }],
    ['of another version', { signature: own(text).replace('v1', 'v2') }],
    ['cut off', { signature: own(text).slice(0, -5) }],
    ['in hexadecimal', { signature: `v1,${'a'.repeat(64)}` }],
    ['after too many others', { signature: `${'v1,x '.repeat(8)}${own(text)}` }],
    ['made 301 seconds ago', { timestamp: SECONDS - 301 }],
    ['made in 301 seconds', { timestamp: SECONDS + 301 }],
    ['of no time', { timestamp: 'now' }],
    ['of a time below zero', { timestamp: -1 }],
    ['of no id', { id: '' }],
    ['of a very long id', { id: 'x'.repeat(257) }],
  ])('refuses a delivery whose signature is %s', async (_, sent) => {
    const { send, events, records } = receiving()
    expect(await send(sent)).toMatchObject({ status: 401 })
    expect(events).toEqual([])
    expect(records).toEqual([expect.objectContaining({ code: 16 })])
  })

  it('takes one whose sender signs by the secret of before and by the next one', async () => {
    const { send } = receiving()
    const signature = `v1,${'A'.repeat(43)}= ${own(text)}`
    expect(await send({ signature })).toMatchObject({ status: 200 })
  })

  it('acknowledges a repeated delivery, and stores nothing by it', async () => {
    const { send, events } = receiving()
    await send()
    expect(await send()).toMatchObject({ status: 200, said: 'unchanged' })
    expect(events).toHaveLength(1)
  })

  it('takes a delivery that failed when it comes again', async () => {
    let tries = 0
    const { send } = receiving(async () => {
      if (tries++ === 0) throw new BusyBindingError('again')
      return 'stored'
    })
    expect(await send()).toMatchObject({ status: 503, said: 'again' })
    expect(await send()).toMatchObject({ status: 200, said: 'stored' })
  })

  it('says that a binding is somebody else’s', async () => {
    const { send } = receiving(() => Promise.reject(new ForeignBindingError('not yours')))
    const answer = await send()
    expect([answer.status, answer.said]).toEqual([400, 'not yours'])
    expect(answer.details).toContain('ForeignBinding')
  })

  it.each<[string, unknown, string]>([
    ['no JSON', undefined, 'the body is not JSON'],
    ['an unknown type', { ...event, type: 'binding.seen' }, 'type'],
    ['an unknown field', { ...event, more: 1 }, 'more'],
    ['no sequence', { ...event, sequence: undefined }, 'sequence'],
    ['a sequence that is no number', { ...event, sequence: '7' }, 'sequence'],
    ['a sequence that JSON does not hold exactly', { ...event, sequence: 2 ** 53 }, 'sequence'],
    ['no time', { ...event, occurredAt: 'yesterday' }, 'occurredAt'],
    ['an instance and a workspace', { ...event, binding: { ...event.binding, workspace: 'w' } }, 'binding'],
    ['a role that there is not', { ...event, binding: { ...event.binding, role: 'Owner' } }, 'binding'],
    ['no subjects', { ...event, binding: { ...event.binding, subjects: [] } }, 'binding'],
    ['a name that is a path', { ...event, binding: { ...event.binding, name: '../eu' } }, 'binding'],
    ['a user without a name', { ...event, type: 'user.deleted', binding: undefined, name: '' }, 'name'],
    ['nothing', null, 'type'],
  ])('refuses %s, and says where', async (_, body, where) => {
    const { send, events, records } = receiving()
    const answer = await send({ body: body === undefined ? '{' : JSON.stringify(body) })
    expect(answer.status).toBe(400)
    expect(`${answer.said} ${answer.details}`).toContain(where)
    expect([events, records.map(({ code }) => code)]).toEqual([[], [3]])
  })

  it('reads no body of more than 256 KiB, and none of a sender that signs nothing', async () => {
    const { app, send } = receiving()
    expect(await send({ body: ' '.repeat(256 * 1_024 + 1) })).toMatchObject({ status: 400 })
    let pulled = 0
    const pull = () => {
      pulled += 1
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const answer = await app.request(DELIVERIES_PATH, { method: 'POST', body, duplex: 'half' } as never, {})
    expect([answer.status, pulled]).toEqual([401, 0])
  })

  it('takes a delivery while any number of senders who signed nothing hold back their bodies', async () => {
    const { app, send } = receiving()
    const headers = {
      ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': `${SECONDS}` },
      ...{ 'webhook-signature': `v1,${'A'.repeat(43)}=`, 'content-length': '9' },
    }
    const held = Array.from({ length: 100 }, () => {
      const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' }
      return app.request(DELIVERIES_PATH, init as never, {})
    })
    expect(await send()).toMatchObject({ status: 200, said: 'stored' })
    const givenUp = await Promise.all(held.slice(0, 30))
    expect(new Set(givenUp.map(({ status }) => status))).toEqual(new Set([429]))
  })

  it('is out of service, and open to nobody, while its secrets cannot be read', async () => {
    const { send, secretsAre, events } = receiving()
    secretsAre(() => Promise.reject(new ServiceSettingError('no file')))
    expect(await send()).toMatchObject({ status: 503 })
    secretsAre(async () => [])
    expect(await send()).toMatchObject({ status: 401 })
    expect(events).toEqual([])
  })

  it('takes nothing but POST', async () => {
    const { app } = receiving()
    const answer = await app.request(DELIVERIES_PATH, {}, {})
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
