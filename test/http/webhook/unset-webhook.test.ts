import { expect, it } from 'vitest'
import { unauthenticated } from '../../../http/errors/failure.js'
import { restApp } from '../../../http/rest/app.js'
import { DELIVERIES_PATH } from '../../../http/webhook/deliveries-route.js'
import { UnsetWebhook } from '../../../http/webhook/unset-webhook.js'
import { silent, unaudited, unmetered } from '../../silent.js'
import { fakeMeter } from '../fakes/api.js'
import { fakeLog } from '../fakes/log.js'

const NOW = Date.parse('2026-11-24T12:00:00Z')

/** The REST app of a Kairship whose webhook has no keys. */
function withoutKeys() {
  const clock = { now: NOW }
  const log = fakeLog()
  const { meter, counts } = fakeMeter()
  const webhook = new UnsetWebhook({ log, meter, now: () => clock.now })
  const app = restApp({
    ...{ operations: [], dispatcher: {} as never, log: silent, meter: unmetered, audit: unaudited },
    authenticator: { authenticate: () => Promise.reject(unauthenticated('no token')) } as never,
    anonymous: app => webhook.addTo(app),
  })
  const send = async (headers: Record<string, string> = {}) => {
    const signed = {
      ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': `${clock.now / 1_000}` },
      ...{ 'webhook-signature': `v1,${'A'.repeat(43)}=`, ...headers },
    }
    const answer = await app.request(DELIVERIES_PATH, { method: 'POST', headers: signed, body: '{}' }, {})
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  return { clock, log, counts, webhook, send }
}

it('tells the sender of a delivery to repeat it, and nothing of how Kairship is set up', async () => {
  const { send } = withoutKeys()
  const { status, retryAfter, text } = await send()
  expect([status, retryAfter]).toEqual([503, '60'])
  expect(text).toContain('takes no deliveries of role bindings')
  expect(text).not.toMatch(/KeysFile|token/)
})

it('names the missing setting in the log once a minute, in /readyz for an hour, and counts each', async () => {
  const { send, clock, log, counts, webhook } = withoutKeys()
  expect(webhook.notes()).toEqual([])
  await send()
  await send()
  const said = () => log.lines.map(({ level, fields, message }) => [level, fields.refused, message])
  const line = expect.stringContaining('set roleBindingWebhookKeysFile')
  expect(said()).toEqual([['warn', 1, line]])
  clock.now += 60_000
  await send()
  expect(said()[1]).toEqual(['warn', 3, line])
  expect(webhook.notes()).toEqual([
    '3 deliveries of role bindings were refused, the last at 2026-11-24T12:01:00.000Z: the webhook has no keys, set roleBindingWebhookKeysFile',
  ])
  expect([...counts.values()]).toEqual([3])
  clock.now += 3_600_001
  expect(webhook.notes()).toEqual([])
})

it('says nothing of what has not the form of a delivery', async () => {
  const { send, log, webhook } = withoutKeys()
  expect((await send({ 'webhook-signature': '' })).status).toBe(401)
  expect([log.lines, webhook.notes()]).toEqual([[], []])
})
