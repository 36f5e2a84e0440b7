import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Change, watchEvents } from '../../../http/objects/watch/watch-events.js'

async function read(chunks: readonly Buffer[]): Promise<readonly Change[]> {
  const source = async function* () {
    yield* chunks
  }
  const changes: Change[] = []
  for await (const change of watchEvents(source())) changes.push(change)
  return changes
}
const changeOf = (name: string): Change => ({
  type: 'MODIFIED',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
})

it('reads the same events however their bytes are cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 5 }),
      fc.array(fc.nat(200), { maxLength: 12 }),
      async (names, cuts) => {
        const changes = names.map(changeOf)
        const bytes = Buffer.from(changes.map(change => `${JSON.stringify(change)}\n`).join(''))
        const at = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        expect(await read(at.map((start, index) => bytes.subarray(start, at[index + 1])))).toEqual(changes)
      },
    ),
  )
})

it('refuses bytes that break inside an event', async () => {
  await expect(read([Buffer.from('{"type":'), Buffer.from('"ADD')])).rejects.toThrow(
    'in the middle of an event',
  )
})

it.each([
  ['an object without metadata', { type: 'ADDED', object: {} }],
  ['an object whose metadata is null', { type: 'MODIFIED', object: { metadata: null } }],
  ['an object without a name', { type: 'DELETED', object: { metadata: { resourceVersion: '1' } } }],
  ['a bookmark without metadata', { type: 'BOOKMARK', object: {} }],
  ['a text for an object', { type: 'ADDED', object: 'metadata' }],
  ['no object', { type: 'ADDED' }],
])('refuses %s as the instance’s fault', async (_, event) => {
  await expect(read([Buffer.from(`${JSON.stringify(event)}\n`)])).rejects.toMatchObject({
    ...{ code: 14, details: { reason: 'BadAnswer' } },
  })
})

it('takes a bookmark, which has no name', async () => {
  const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } }
  expect(await read([Buffer.from(`${JSON.stringify(bookmark)}\n`)])).toEqual([bookmark])
})

it('passes over empty lines', async () => {
  const line = `${JSON.stringify(changeOf('a'))}\n`
  expect(await read([Buffer.from(`\n${line}\n`), Buffer.from(`\n${line}`)])).toHaveLength(2)
})

it.each([
  [0, 'broke in the middle of an event'],
  [1, 'sent an event that has no end'],
])('says of 16 MiB and %i bytes without the end of an event that the watch %s', async (more, told) => {
  const part = Buffer.alloc(8 << 20, 'x')
  await expect(read([part, part, Buffer.alloc(more, 'x')])).rejects.toThrow(told)
})
