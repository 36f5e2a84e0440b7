import { expect, it } from 'vitest'
import { changesOf, type Message } from '../../console/live/changes.js'
import { rpcSource } from '../../console/live/rpc-source.js'
import { WatchInstancesResponse_Type as InstancesType } from '../../proto/gen/kairship/instance_pb.js'
import { ListChange_Type as Type } from '../../proto/gen/kairship/types_pb.js'

interface Told extends Message {
  readonly name?: string
}
const told = (type: number, name?: string): Told => ({
  type,
  total: 3,
  resumeToken: 't',
  ...(name && { name }),
})

async function* sent(...messages: readonly Told[]): AsyncGenerator<Told> {
  yield* messages
}

it('a change of a type that only a newer server has counts as one of its object', async () => {
  const seen: unknown[] = []
  const messages = sent(told(Type.ADDED, 'north'), told(99, 'south'), told(Type.BOOKMARK))
  for await (const { type, item } of changesOf(messages, ({ name }) => name)) seen.push([type, item])
  expect(seen).toEqual([
    ['ADDED', 'north'],
    ['MODIFIED', 'south'],
    ['BOOKMARK', undefined],
  ])
})

it('a change has the type of its number in its own Watch: BOOKMARK and LEFT of Instances have each other’s', async () => {
  const seen: string[] = []
  const messages = sent(told(InstancesType.BOOKMARK), told(InstancesType.LEFT))
  for await (const { type } of changesOf(messages, () => undefined, InstancesType)) seen.push(type)
  expect(seen).toEqual(['BOOKMARK', 'LEFT'])
})

it.each([
  ['as its answer says', { pagination: { total: 70 } }, 70],
  ['those of its answer where that does not say', {}, 2],
])('a list has so many rows: %s', async (_, more, total) => {
  const source = rpcSource({
    list: async () => ({ items: ['north', 'south'], ...more }),
    watch: () => sent(told(Type.MODIFIED, 'north'), told(Type.BOOKMARK)),
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
