import { expect, it } from 'vitest'
import { watchedType } from '../../../actors/watches/watched-type.js'
import type { KubeApi, WatchEvent } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { unmetered } from '../../silent.js'

const thing = (name: string, resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: name, resourceVersion },
})

it('a watched type reports its list and its changes, and no bookmarks', async () => {
  const events: WatchEvent[] = [
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '2' } } },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '3' } } },
    { type: 'ADDED', object: thing('two', '4') },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
    { type: 'ADDED', object: thing('three', '6') },
  ] as unknown as WatchEvent[]
  const api = {
    server: 'https://alpha',
    request: async () => ({
      apiVersion: 'v1',
      kind: 'ThingList',
      metadata: { resourceVersion: '1' },
      items: [thing('one', '1')],
    }),
    watch: async function* ({ signal }: { signal?: AbortSignal }) {
      yield* events
      await new Promise(resolve => signal?.addEventListener('abort', resolve, { once: true }))
    },
    close: async () => undefined,
  } as unknown as KubeApi
  const counts: number[] = []
  const watching = watchedType(
    api,
    { group: '', version: 'v1', resource: 'things' },
    { reduce: ({ metadata }) => metadata.name, meter: unmetered },
  ).subscribe(({ value }) => counts.push(value.length))
  await waitFor(() => expect(counts.at(-1)).toBe(3))
  watching.unsubscribe()
  expect(counts).toEqual([1, 2, 3])
})

it('an object that cannot be reduced is left out with the reason, and the watch goes on', async () => {
  const api = {
    server: 'https://alpha',
    request: async () => ({
      apiVersion: 'v1',
      kind: 'ThingList',
      metadata: { resourceVersion: '3' },
      items: [thing('one', '1'), thing('bad', '2')],
    }),
    watch: async function* ({ signal }: { signal?: AbortSignal }) {
      yield { type: 'ADDED', object: thing('two', '4') }
      yield { type: 'DELETED', object: thing('bad', '5') }
      await new Promise(resolve => signal?.addEventListener('abort', resolve, { once: true }))
    },
    close: async () => undefined,
  } as unknown as KubeApi
  const reduce = ({ metadata: { name } }: { metadata: { name: string } }): string => {
    if (name === 'bad') throw new Error('its status is no object')
    return name
  }
  const sights: unknown[] = []
  const watching = watchedType(
    api,
    { group: '', version: 'v1', resource: 'things' },
    { reduce, meter: unmetered },
  ).subscribe(({ value, failure }) => sights.push([value, failure?.message]))
  await waitFor(() => expect(sights).toHaveLength(3))
  watching.unsubscribe()
  expect(sights).toEqual([
    [['one'], 'bad: things: its status is no object'],
    [['one', 'two'], 'bad: things: its status is no object'],
    [['one', 'two'], undefined],
  ])
})
