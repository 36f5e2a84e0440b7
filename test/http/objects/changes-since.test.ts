import { expect, it } from 'vitest'
import type { Listing } from '../../../http/objects/list/listing.js'
import { changesSince } from '../../../http/objects/watch/changes-since.js'
import type { KubeObject } from '../../../manifests/kube.js'

it('pauses longer and longer before it opens a watch again that ends right after each bookmark', async () => {
  const pauses: number[] = []
  let version = 1
  const requests = {
    options: { parts: { now: () => 0 }, pause: async (ms: number) => void pauses.push(ms) },
    async *stream(_call: unknown, _instance: unknown, _request: unknown, opened: () => void) {
      opened()
      const object = { metadata: { resourceVersion: String(++version) } }
      yield Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
    },
  }
  const listing = {
    requests,
    call: { signal: new AbortController().signal },
    place: { instance: 'north' },
    type: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
    query: {},
  } as unknown as Listing<KubeObject>
  const changes = changesSince(listing, '1')
  for (let read = 0; read < 6; read++) expect((await changes.next()).value?.type).toBe('BOOKMARK')
  await changes.return()
  const [first = Number.NaN, , , , last] = pauses
  expect(pauses).toHaveLength(5)
  expect(last).toBeGreaterThan(4 * first)
})
