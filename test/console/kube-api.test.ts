import { describe, expect, it } from 'vitest'
import { KubeApi } from '../../console/kube/kube-api.js'

const MIB = 1 << 20
const at = {
  type: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', isNamespaced: true },
  namespace: 'shop',
  name: 'a',
}

/** An instance that answers in chunks of 1 MiB without a length, and how many were taken. */
function inChunks(chunks: number) {
  const state = { taken: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.taken >= chunks) return controller.close()
        state.taken += 1
        controller.enqueue(new Uint8Array(MIB).fill(0x20))
      },
      cancel() {
        state.isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const send = async () => ({ status: 200, headers: { get: () => null }, body })
  return { state, api: new KubeApi('north', send) }
}

describe('an answer of an instance’s own API', () => {
  it('is read up to 16 MiB and refused beyond, whatever its length header says', async () => {
    const { state, api } = inChunks(1_000)
    await expect(api.get(at)).rejects.toThrow('the answer has more than 16 MiB')
    expect(state).toEqual({ taken: 17, isCancelled: true })
  })

  it('is read whole up to that size', async () => {
    const { api } = inChunks(16)
    expect((await api.request('GET', '/openapi/v3')).text).toHaveLength(16 * MIB)
  })

  it('is joined from chunks that end within a character', async () => {
    const bytes = new TextEncoder().encode('{"kind":"名"}')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const api = new KubeApi('north', async () => ({ status: 200, headers: { get: () => null }, body }))
    expect(await api.get(at)).toEqual({ kind: '名' })
  })
})
