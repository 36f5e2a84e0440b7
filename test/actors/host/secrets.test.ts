import { once } from 'node:events'
import { Subject } from 'rxjs'
import { afterEach, expect, it } from 'vitest'
import { type SecretSight, Secrets } from '../../../actors/host/secrets.js'
import type { WatchEvent, WatchRequest } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { unmetered } from '../../silent.js'
import { refusal, scriptedApi } from '../scripted-api.js'

const secret = (name: string, uid: string, resourceVersion: string) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', data: {} },
  metadata: { name, namespace: 'fleet', uid, resourceVersion },
})

let secrets: Secrets
afterEach(() => secrets.stop())

/** Secrets of a namespace whose list a test answers when it likes to, and whose changes it sends. */
function host(...items: object[]) {
  let answer: (list: unknown) => void = () => undefined
  const answered = new Promise(resolve => (answer = resolve))
  const events = new Subject<WatchEvent>()
  const api = {
    ...scriptedApi({ 'GET /api/v1/namespaces/fleet/secrets': () => answered }),
    async *watch({ signal }: WatchRequest): AsyncGenerator<WatchEvent> {
      const queue: WatchEvent[] = []
      const arrived = new EventTarget()
      const following = events.subscribe(event => {
        queue.push(event)
        arrived.dispatchEvent(new Event('event'))
      })
      try {
        for (;;) {
          while (queue.length > 0) yield queue.shift()!
          await once(arrived, 'event', signal && { signal })
        }
      } finally {
        following.unsubscribe()
      }
    },
  }
  secrets = new Secrets(api, unmetered)
  const seen = (name: string): SecretSight[] => {
    const sights: SecretSight[] = []
    secrets.follow('fleet', name).subscribe(sight => sights.push(sight))
    return sights
  }
  return {
    seen,
    answer: () => answer({ apiVersion: 'v1', kind: 'SecretList', metadata: { resourceVersion: '5' }, items }),
    refuse: () => answer(refusal(403, 'Forbidden', 'you may not')),
    applied: (object: object) => events.next({ type: 'ADDED', object: object as never }),
    watched: () => events.observed,
  }
}
const uidsIn = (sights: readonly SecretSight[]) =>
  sights.map(sight => (typeof sight === 'object' && 'secret' in sight ? sight.secret.metadata.uid : sight))

it('a Secret is not said to be absent before the Secrets were listed', async () => {
  const { seen, answer } = host(secret('one', 'uid-1', '4'))
  const [one, other] = [seen('one'), seen('other')]
  await new Promise(resolve => setImmediate(resolve))
  expect([one, other]).toEqual([[], []])
  answer()
  await waitFor(() => expect([one.length, other.length]).toEqual([1, 1]))
  expect([uidsIn(one), other]).toEqual([['uid-1'], ['absent']])
})

it('a follower that comes later sees at once how the Secret stands', async () => {
  const { seen, answer } = host(secret('one', 'uid-1', '4'))
  const first = seen('one')
  answer()
  await waitFor(() => expect(first).toHaveLength(1))
  expect([uidsIn(seen('one')), seen('other')]).toEqual([['uid-1'], ['absent']])
})

it('a Secret that was created anew while its deletion was missed is seen once', async () => {
  const { seen, answer, applied, watched } = host(secret('one', 'uid-1', '4'))
  const [one, last] = [seen('one'), seen('last')]
  answer()
  await waitFor(() => expect(watched()).toBe(true))
  applied(secret('one', 'uid-2', '6'))
  applied(secret('last', 'uid-3', '7'))
  await waitFor(() => expect(last).toHaveLength(2))
  expect(uidsIn(one)).toEqual(['uid-1', 'uid-2'])
})

it('Secrets that cannot be read are seen with the failure', async () => {
  const { seen, refuse } = host()
  const one = seen('one')
  refuse()
  // It is tried again meanwhile, and each failure is one more sight.
  await waitFor(() => expect(one.length).toBeGreaterThan(0))
  for (const sight of one)
    expect(sight).toMatchObject({ failure: { reason: 'Forbidden', stage: 'credentials' } })
})
