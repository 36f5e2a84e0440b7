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
import { waitFor } from '../../patience.js'
import { silent, unmetered } from '../../silent.js'
import { fakeMeter } from '../fakes/api.js'

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
  /** The sender goes. */
  readonly signal?: AbortSignal
}

/** The route in the REST app, over deliveries that a test decides. */
function receiving(take: () => Promise<Reception> = async () => 'stored') {
  const clock = { now: NOW }
  const metered = fakeMeter()
  const events: RoleBindingEvent[] = []
  const signals: AbortSignal[] = []
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
          meter: metered.meter,
          now: () => clock.now,
        },
        deliveries: {
          take: async (delivered, signal) => {
            events.push(delivered)
            signals.push(signal)
            return take()
          },
        },
        secrets: () => secrets(),
        places: { hasInstance: name => name === 'eu', hasWorkspace: () => false },
      }),
  })
  const send = async ({
    id = 'msg_1',
    timestamp = SECONDS,
    body = JSON.stringify(event),
    by = secret,
    signature,
    signal,
  }: Sent = {}) => {
    const made = createHmac('sha256', by).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': id },
      ...{ 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature ?? `v1,${made}` },
    }
    const sent = { method: 'POST', headers, body, ...(signal && { signal }) }
    const answer = await app.request(DELIVERIES_PATH, sent, {})
    const { result, message, details, ...more } = (await answer.json()) as Record<string, never>
    return { status: answer.status, said: result ?? message, details: JSON.stringify(details), more }
  }
  return {
    ...{ app, send, events, records, signals, clock, metered },
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

  it('warns the sender, also of a repetition, where a binding gives a role to whom nobody has chosen', async () => {
    const { send } = receiving()
    const subjects = [
      { kind: 'Group', name: 'system:authenticated' },
      { kind: 'User', name: 'ann' },
    ]
    const body = JSON.stringify({ ...event, binding: { ...event.binding, subjects } })
    for (const said of ['stored', 'unchanged'])
      expect(await send({ body })).toMatchObject({
        ...{ status: 200, said },
        more: {
          warnings: [
            expect.stringMatching(
              /^the group system:authenticated is everyone who can log in, now and later/,
            ),
          ],
        },
      })
  })

  it('warns the sender of a binding whose instance is not there', async () => {
    const { send } = receiving()
    const body = JSON.stringify({ ...event, binding: { ...event.binding, instance: 'ue' } })
    expect((await send({ body })).more).toEqual({
      warnings: ['there is no instance ue: the role gives nothing until there is one'],
    })
  })

  it.each([
    ['gives a role to chosen people', event],
    [
      'takes a role from whom nobody has chosen',
      {
        ...event,
        type: 'binding.deleted',
        binding: { ...event.binding, subjects: [{ kind: 'Group', name: 'system:authenticated' }] },
      },
    ],
    [
      'is of a group that is gone',
      { ...event, binding: undefined, type: 'group.deleted', name: 'system:masters' },
    ],
  ])('warns of nothing where an event %s', async (_what, other) => {
    const { send } = receiving()
    expect(await send({ body: JSON.stringify(other) })).toMatchObject({ status: 200, more: {} })
    expect((await send({ body: JSON.stringify(other), id: 'msg_2' })).more).toEqual({})
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

  it.each<[string, Sent]>([
    ['made 300 seconds ago', { timestamp: SECONDS - 300 }],
    ['made in 300 seconds', { timestamp: SECONDS + 300 }],
    ['behind seven others', { signature: `${'v1,x '.repeat(7)}${own(text)}` }],
    ['of an id of 256 letters', { id: 'x'.repeat(256) }],
  ])('takes a delivery whose signature is %s', async (_, sent) => {
    expect(await receiving().send(sent)).toMatchObject({ status: 200, said: 'stored' })
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

  it('takes another event under an id that was used, which may take a right away', async () => {
    const { send, events } = receiving()
    await send()
    const other = { ...event, type: 'binding.deleted', sequence: event.sequence + 1 }
    expect(await send({ body: JSON.stringify(other) })).toMatchObject({ status: 200, said: 'stored' })
    expect(events).toHaveLength(2)
  })

  it('knows a repeated delivery for as long as its time counts, and no longer', async () => {
    const { send, events, clock } = receiving()
    await send({ timestamp: SECONDS + 300 })
    clock.now += 600_000
    expect(await send({ timestamp: SECONDS + 300 })).toMatchObject({ status: 200, said: 'unchanged' })
    expect(events).toHaveLength(1)
    clock.now += 600_001
    expect(await send({ timestamp: clock.now / 1_000 - 0.001 })).toMatchObject({
      status: 200,
      said: 'stored',
    })
  })

  it('has 32 deliveries under way at most, and room again as they end, however they end', async () => {
    const waiting: ((failed: boolean) => void)[] = []
    const { send, events } = receiving(
      () =>
        new Promise((resolve, reject) =>
          waiting.push(failed => (failed ? reject(new BusyBindingError('again')) : resolve('stored'))),
        ),
    )
    const all = Array.from({ length: 32 }, (_, n) => send({ id: `msg_${n}` }))
    await waitFor(() => expect(events).toHaveLength(32))
    expect(await send({ id: 'one-more' })).toMatchObject({ status: 429 })
    for (const [n, end] of waiting.splice(0).entries()) end(n % 2 === 0)
    expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([
      ...Array<number>(16).fill(200),
      ...Array<number>(16).fill(503),
    ])
    const again = Array.from({ length: 32 }, (_, n) => send({ id: `again_${n}` }))
    await waitFor(() => expect(waiting).toHaveLength(32))
    for (const end of waiting) end(false)
    expect((await Promise.all(again)).every(({ status }) => status === 200)).toBe(true)
  })

  it('gives up when its sender does', async () => {
    const sender = new AbortController()
    const { send, signals } = receiving(() => {
      sender.abort()
      return Promise.resolve('stored')
    })
    await send({ signal: sender.signal }).catch(() => undefined)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('counts its deliveries by what became of them', async () => {
    const { send, metered } = receiving()
    await send()
    await send()
    expect([...metered.counts]).toEqual([
      ['kairship_role_binding_deliveries_total{"result":"stored"}', 1],
      ['kairship_role_binding_deliveries_total{"result":"unchanged"}', 1],
    ])
  })

  const { instance: _, ...unplaced } = event.binding
  it.each<[object, object]>([
    [
      { type: 'binding.deleted', binding: event.binding },
      { verb: 'delete', resource: 'instancerolebindings', name: 'team' },
    ],
    [
      { type: 'binding.created', binding: { ...unplaced, workspace: 'shop' } },
      { verb: 'update', resource: 'workspacerolebindings', name: 'team' },
    ],
    [
      { type: 'user.deleted', name: 'ann', binding: undefined },
      { verb: 'update', resource: 'instancerolebindings' },
    ],
  ])('records %j as %j', async (changed, action) => {
    const { send, records, events } = receiving()
    expect(await send({ body: JSON.stringify({ ...event, ...changed }) })).toMatchObject({ status: 200 })
    expect(records.map(record => record.action)).toEqual([action])
    expect(events).toEqual([JSON.parse(JSON.stringify({ ...event, ...changed }))])
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
    ['a role that there is not', { ...event, binding: { ...event.binding, role: 'Owner' } }, 'binding.role'],
    ['no subjects', { ...event, binding: { ...event.binding, subjects: [] } }, 'binding.subjects'],
    [
      'a subject of another kind',
      { ...event, binding: { ...event.binding, subjects: [{ kind: 'Team', name: 'a' }] } },
      'binding.subjects.0.kind',
    ],
    ['a name that is a path', { ...event, binding: { ...event.binding, name: '../eu' } }, 'binding.name'],
    ['a user without a name', { ...event, type: 'user.deleted', binding: undefined, name: '' }, 'name'],
    [
      'a user with a very long name',
      { ...event, type: 'user.deleted', binding: undefined, name: 'x'.repeat(254) },
      'name',
    ],
    ['nothing', null, 'type'],
    ['more values than any event has', Array(4_100).fill(0), 'more than 4096 values'],
  ])('refuses %s, and says where', async (_, body, where) => {
    const { send, events, records } = receiving()
    const answer = await send({ body: body === undefined ? '{' : JSON.stringify(body) })
    expect(answer.status).toBe(400)
    expect(`${answer.said} ${answer.details}`).toContain(where)
    expect([events, records.map(({ code }) => code)]).toEqual([[], [3]])
  })

  it('reads no body of more than 256 KiB, and none of a sender that signs nothing', async () => {
    const { app, send } = receiving()
    const filled = (bytes: number) => text.padEnd(bytes, ' ')
    expect(await send({ body: filled(256 * 1_024) })).toMatchObject({ status: 200 })
    expect(await send({ body: filled(256 * 1_024 + 1) })).toMatchObject({
      ...{ status: 400, said: 'the body is larger than 262144 bytes' },
    })
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
    secretsAre(() => Promise.reject(new Error('a fault of ours')))
    expect(await send()).toMatchObject({ status: 500 })
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
