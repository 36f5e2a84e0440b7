import { expect, it } from 'vitest'
import type { ListQuery } from '../../../http/objects/list-query.js'
import type { ObjectEvent } from '../../../http/objects/objects.js'
import type { ObjectRequest, ObjectRequests } from '../../../http/objects/requests/object-requests.js'
import { changesFromNow } from '../../../http/objects/watch/changes-from-now.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { aloneAnswers } from '../fakes/answers.js'

const type = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }
const object = (name: string, resourceVersion = '8') => ({
  metadata: { name, namespace: 'shop', resourceVersion },
})
const expired = new StatusError(bareStatus(410, 'too old resource version'))

/** The changes of a list of an instance that is at these versions in turn, and whose watches send these events; each but the last then expires. */
function following(
  versions: readonly unknown[],
  watches: readonly (readonly object[])[],
  query: Partial<ListQuery> = {},
) {
  const sent: ObjectRequest['query'][] = []
  const pauses: number[] = []
  let [lists, opened] = [0, 0]
  const requests = {
    options: { parts: { now: () => 0 }, pause: async (ms: number) => void pauses.push(ms) },
    async json(_: unknown, __: unknown, request: ObjectRequest) {
      sent.push(request.query)
      return { metadata: { resourceVersion: versions[lists++] }, items: [object('first')] }
    },
    async *stream(_: unknown, __: unknown, request: ObjectRequest, open: () => void) {
      sent.push(request.query)
      open()
      const events = watches[opened++] ?? []
      for (const event of events) yield Buffer.from(`${JSON.stringify(event)}\n`)
      if (opened < watches.length) throw expired
      await new Promise(() => undefined)
    },
  } as unknown as ObjectRequests
  const call = {
    caller: { user: 'ann', groups: [], extra: {} },
    signal: new AbortController().signal,
    answers: aloneAnswers(true),
    answered: () => undefined,
  }
  const whole = { page: 1, pageSize: 0, ...query }
  const steps = changesFromNow({ requests, call, type, place: { instance: 'north' }, query: whole })
  return { steps, sent, pauses }
}

async function take(steps: AsyncIterable<ObjectEvent<KubeObject>>, count: number): Promise<string[]> {
  const said: string[] = []
  for await (const step of steps) {
    said.push('object' in step ? `${step.type} ${step.object.metadata.name}` : step.type)
    expect(step.total).toBe(0)
    if (said.length === count) break
  }
  return said
}

it('changes from now on begin at the version of the list, of which one object is read', async () => {
  const { steps, sent } = following(
    ['7'],
    [
      [
        { type: 'ADDED', object: object('a') },
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } },
        { type: 'DELETED', object: object('b') },
      ],
    ],
    { labelSelector: 'app=web', fieldSelector: 'metadata.name!=c' },
  )
  expect(await take(steps, 4)).toEqual(['RESET', 'BOOKMARK', 'ADDED a', 'DELETED b'])
  expect(sent).toEqual([
    { limit: 1, fieldSelector: 'metadata.name!=c' },
    expect.objectContaining({
      ...{ watch: 'true', resourceVersion: '7' },
      ...{ labelSelector: 'app=web', fieldSelector: 'metadata.name!=c' },
    }),
  ])
})

it('changes of other names are left out', async () => {
  const { steps } = following(
    ['7'],
    [['a', 'shop-1', 'b'].map(name => ({ type: 'MODIFIED', object: object(name) }))],
    {
      nameContains: ['shop'],
    },
  )
  expect(await take(steps, 3)).toEqual(['RESET', 'BOOKMARK', 'MODIFIED shop-1'])
})

it('changes may have been missed where the instance has forgotten them, and its list is not read again at once', async () => {
  const { steps, pauses } = following(['7', '20'], [[{ type: 'ADDED', object: object('a') }], []])
  expect(await take(steps, 5)).toEqual(['RESET', 'BOOKMARK', 'ADDED a', 'RESET', 'BOOKMARK'])
  expect(pauses).toHaveLength(1)
})

it.each([[undefined], [''], ['0']])(
  'changes since version %j would be all objects, and are refused',
  async version => {
    await expect(take(following([version], [[]]).steps, 1)).rejects.toThrow('what is no list of configmaps')
  },
)
