import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Store } from '../../../../playground/apiserver/store/store.js'

const keys = ['a/x', 'a/y', 'a0/x', 'b/x', 'b/y'] as const
const step = fc.record({
  key: fc.constantFrom(...keys),
  act: fc.constantFrom('put', 'put', 'remove', 'nothing'),
  value: fc.nat(3),
})

/** Runs random writes and remembers what every revision looked like. */
async function history(steps: readonly { key: string; act: string; value: number }[]) {
  const store = new Store(() => 0)
  const collection = store.collection('things')
  const seen = new Map<number, string[]>()
  const watched = new Map<string, number>()
  collection.watch(({ type, current }) => {
    if (type === 'DELETED') watched.delete(current.key)
    else watched.set(current.key, current.revision)
  })
  const shown = (namespace = '') => collection.list(namespace).map(one => `${one.key}@${one.revision}`)
  seen.set(store.revision, shown())
  for (const { key, act, value } of steps) {
    const [namespace = '', name = ''] = key.split('/')
    await store.write(collection, key, current => {
      if (act === 'nothing') return undefined
      if (act === 'remove') return current && { remove: current.object }
      return { put: { metadata: { namespace, name }, value } }
    })
    seen.set(store.revision, shown())
  }
  return { store, collection, seen, watched, shown }
}

it('every kept revision can be listed, in all namespaces and in one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { collection, seen } = await history(steps)
      for (const [revision, expected] of seen) {
        const at = (namespace = '') =>
          collection.listAt(revision, namespace)?.map(one => `${one.key}@${one.revision}`)
        expect(at()).toEqual(expected)
        expect(at('a')).toEqual(expected.filter(one => one.startsWith('a/')))
      }
    }),
  )
})

it('applying all watched changes gives the state of a list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { watched, shown } = await history(steps)
      expect([...watched].map(([key, revision]) => `${key}@${revision}`).sort()).toEqual(shown().sort())
    }),
  )
})

it('a resumed watch continues from any revision without a gap or a repetition', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { store, collection, seen } = await history(steps)
      for (const revision of seen.keys()) {
        const missed = collection.since(revision)?.map(event => event.revision) ?? []
        const expected = Array.from({ length: store.revision - revision }, (_, index) => revision + 1 + index)
        expect(missed).toEqual(expected)
      }
    }),
  )
})

it('a compaction refuses older revisions, and keeps the current objects', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async steps => {
      const { store, collection, seen, shown } = await history(steps)
      const before = shown()
      store.compact()
      for (const revision of seen.keys()) {
        expect(collection.since(revision) === undefined).toBe(revision < store.revision)
      }
      expect(shown()).toEqual(before)
    }),
  )
})
