import { describe, expect, it } from 'vitest'
import { indexObjects, instanceObjects } from '../../../http/read-your-writes/object-source.js'
import type { KubeApi, Sender } from '../../../ports/kube-api.js'

const pods = { group: '', version: 'v1', resource: 'pods' }

/** What is shown of an answer with this body, by the instance and by an index. */
function shown(answer: unknown) {
  const api = { request: async () => answer } as unknown as KubeApi
  const upstream: Sender = {
    send: (_, sink) => {
      queueMicrotask(() => {
        sink.head(200, 'OK', [])
        sink.data(Buffer.from(JSON.stringify(answer)))
        sink.end()
      })
      return { resume: () => undefined, abort: () => undefined }
    },
  }
  return [instanceObjects(api), indexObjects(upstream)].map(showing => showing.list(pods, {}))
}

describe('the objects that a list shows', () => {
  it.each([
    ['nothing, as it is written', { kind: 'PartialObjectMetadataList', metadata: {}, items: [] }],
    // Seen of Clusterpedia: Go writes a list that nothing was put into as null.
    ['nothing, as Go writes it', { kind: 'PartialObjectMetadataList', metadata: {}, items: null }],
  ])('are empty: %s', async (_, answer) => {
    for (const list of shown(answer)) expect((await list).items).toEqual([])
  })

  it.each([
    ['no list', { kind: 'Status', message: 'no' }],
    ['null without a kind', { items: null }],
    ['null', null],
  ])('are an error where the answer is %s', async (_, answer) => {
    for (const list of shown(answer)) await expect(list).rejects.toThrow('the answer is not a list')
  })
})
