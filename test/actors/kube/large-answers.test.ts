import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { LargeAnswers } from '../../../actors/kube/large-answers.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { kubeconfig } from './a-kubeconfig.js'
import { type ScriptedServer, scriptedServer } from './scripted-server.js'

const MIB = 'x'.repeat(1 << 20)
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map(close => close()))
})

/** An instance whose answers a test ends. */
async function instance(largeAnswers: LargeAnswers) {
  const open: ServerResponse[] = []
  const server: ScriptedServer = await scriptedServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    if (url === '/small') return void response.end('{}')
    response.write('{"text":"')
    for (let n = 0; n < 5; n += 1) response.write(MIB)
    open.push(response)
  })
  const api: KubeApi = await kubeConnector({ largeAnswers }).connect(kubeconfig({ server: server.url }))
  closing.push(
    () => api.close(),
    () => server.close(),
  )
  const get = (path: string, signal?: AbortSignal) =>
    api.request<object>({ method: 'GET', path, ...(signal && { signal }) })
  return { get, open }
}

describe('large answers', () => {
  it('are those of more than 4 MiB', async () => {
    const large = new LargeAnswers()
    const { signal } = new AbortController()
    const { grown, end } = large.begin('https://north.test')
    await grown(4 << 20, signal)
    expect(large.slots.load).toEqual({ taken: 0, waiting: 0 })
    await grown((4 << 20) + 1, signal)
    expect(large.slots.load).toEqual({ taken: 1, waiting: 0 })
    end()
    expect(large.slots.load).toEqual({ taken: 0, waiting: 0 })
  })

  it('are read four at a time, two of an instance, while small ones pass', async () => {
    const large = new LargeAnswers()
    const instances = await Promise.all([instance(large), instance(large), instance(large)])
    const asked = instances.flatMap(({ get }) => [get('/large'), get('/large'), get('/large')])
    await waitFor(() => expect(large.slots.load).toEqual({ taken: 4, waiting: 5 }))
    for (const { get } of instances) expect(await get('/small')).toEqual({})
    for (const { open } of instances) await waitFor(() => expect(open).toHaveLength(3))
    for (const response of instances.flatMap(({ open }) => open)) response.end('"}')
    const answers = (await Promise.all(asked)) as { text: string }[]
    expect(answers.map(({ text }) => text.length)).toEqual(Array(9).fill(5 << 20))
    expect(large.slots.load).toEqual({ taken: 0, waiting: 0 })
  })

  it('that are given up while they wait leave their slot', async () => {
    const large = new LargeAnswers()
    const { get, open } = await instance(large)
    const held = Promise.allSettled([get('/large'), get('/large')])
    await waitFor(() => expect(large.slots.load).toEqual({ taken: 2, waiting: 0 }))
    const gone = new AbortController()
    const waiting = get('/large', gone.signal)
    await waitFor(() => expect(large.slots.load).toEqual({ taken: 2, waiting: 1 }))
    gone.abort(new Error('not needed'))
    await expect(waiting).rejects.toThrow('not needed')
    expect(large.slots.load).toEqual({ taken: 2, waiting: 0 })
    const [cut, whole] = open as [ServerResponse, ServerResponse]
    cut.destroy()
    await once(cut, 'close')
    whole.end('"}')
    expect((await held).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(large.slots.load).toEqual({ taken: 0, waiting: 0 })
  })
})
