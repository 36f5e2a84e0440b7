import { expect, it } from 'vitest'
import { MOST_OBJECTS } from '../../../http/objects/list/select.js'
import type { ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import { watchObjects } from '../../../http/objects/watch/watch-objects.js'
import { aloneAnswers } from '../fakes/answers.js'

const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }
const event = (kind: 'ADDED' | 'DELETED', name: string) =>
  `${JSON.stringify({ type: kind, object: { metadata: { name, resourceVersion: '2' } } })}\n`

/** Follows an empty list in which these changes happen. */
async function* following(changes: Iterable<string>) {
  const requests = {
    options: { parts: { now: () => 0 }, pause: async () => undefined },
    async send() {
      const list = { kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [] }
      return { status: 200, headers: [], body: Buffer.from(JSON.stringify(list)) }
    },
    async *stream(_: unknown, __: unknown, ___: unknown, opened: () => void) {
      opened()
      for (const change of changes) yield Buffer.from(change)
      await new Promise(() => undefined)
    },
  } as unknown as ObjectRequests
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: aloneAnswers(true),
    answered: () => undefined,
  }
  yield* watchObjects({
    ...{ requests, call, type },
    place: { instance: 'north' },
    query: { page: 1, pageSize: 0 },
  })
}

it('a followed list that grows beyond what is sorted here ends with what to narrow', async () => {
  const added = Array.from({ length: MOST_OBJECTS + 1 }, (_, n) => event('ADDED', `c${n}`))
  let total = 0
  const read = async () => {
    for await (const step of following(added)) total = step.total
  }
  await expect(read()).rejects.toMatchObject({
    details: { reason: 'ListTooLarge' },
    message: expect.stringContaining('there are more than 10000 configmaps'),
  })
  expect(total).toBe(MOST_OBJECTS)
})

it('a followed list may have any number of objects in turn', async () => {
  function* passing() {
    for (let n = 0; n < MOST_OBJECTS + 5; n += 1) yield event('ADDED', `c${n}`) + event('DELETED', `c${n}`)
    yield event('ADDED', 'last')
  }
  for await (const step of following(passing()))
    if ('object' in step && step.object.metadata.name === 'last') {
      expect(step.total).toBe(1)
      return
    }
})
