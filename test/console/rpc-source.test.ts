import { expect, it } from 'vitest'
import { changesOf, type Message } from '../../console/live/changes.js'
import { rpcSource } from '../../console/live/rpc-source.js'
import { WatchInstancesResponse_Type as InstancesType } from '../../proto/gen/kairship/instance_pb.js'
import { ListChange_Type as Type } from '../../proto/gen/kairship/types_pb.js'

interface Sent extends Message {
  readonly name?: string
}
const message = (type: number, name?: string): Sent => ({
  type,
  total: 3,
  resumeToken: 't',
  ...(name && { name }),
})

async function* sent(...messages: readonly Sent[]): AsyncGenerator<Sent> {
  yield* messages
}

it('a change of an unknown type counts as a modification', async () => {
  const seen: unknown[] = []
  const messages = sent(message(Type.ADDED, 'north'), message(99, 'south'), message(Type.BOOKMARK))
  for await (const { type, item } of changesOf(messages, ({ name }) => name)) seen.push([type, item])
  expect(seen).toEqual([
    ['ADDED', 'north'],
    ['MODIFIED', 'south'],
    ['BOOKMARK', undefined],
  ])
})

it('the type of a change is read by the numbers of its own Watch: Instances swap those of BOOKMARK and LEFT', async () => {
  const seen: string[] = []
  const messages = sent(message(InstancesType.BOOKMARK), message(InstancesType.LEFT))
  for await (const { type } of changesOf(messages, () => undefined, InstancesType)) seen.push(type)
  expect(seen).toEqual(['BOOKMARK', 'LEFT'])
})

it.each([
  ['as its answer says', { pagination: { total: 70 } }, 70],
  ['those of its answer where that does not say', {}, 2],
])('a list has the right total: %s', async (_, more, total) => {
  const source = rpcSource({
    list: async () => ({ items: ['north', 'south'], ...more }),
    watch: () => sent(message(Type.MODIFIED, 'north'), message(Type.BOOKMARK)),
    itemOf: ({ name }) => name,
    rowOf: name => ({ name }),
    keyOf: ({ name }) => name,
  })
  const { signal } = new AbortController()
  expect(await source.list({ page: 1, pageSize: 50 }, signal)).toEqual({
    items: [{ name: 'north' }, { name: 'south' }],
    total,
  })
  const rows: unknown[] = []
  for await (const { item } of source.watch('', signal)) rows.push(item)
  expect(rows).toEqual([{ name: 'north' }, undefined])
})
