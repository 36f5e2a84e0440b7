import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ConnectionUnderTest, caught, events } from './connection-under-test.js'
import { json } from './scripted-server.js'

const kube = new ConnectionUnderTest()

describe('close', () => {
  it('ends requests and watches in flight and leaves no socket', async () => {
    await kube.connect(({ url }, response) => {
      if (url.includes('watch=true')) response.writeHead(200).flushHeaders()
    })
    const failures = [
      caught(kube.api.request({ method: 'GET', path: '/' })),
      caught(events(kube.api.watch({ path: '/' }))),
    ]
    await waitFor(() => expect(kube.server.received).toHaveLength(2))
    await kube.api.close()
    for (const error of await Promise.all(failures)) expect(error.message).toContain('was closed')
    await waitFor(() => expect(kube.server.sockets.size).toBe(0))
  })

  it('may be called twice, and refuses later requests', async () => {
    await kube.connect((_, response) => json(response, 200, {}))
    await kube.api.close()
    await kube.api.close()
    expect((await caught(kube.api.request({ method: 'GET', path: '/' }))).message).toContain('was closed')
    expect(kube.server.received).toHaveLength(0)
  })
})

it('reports the outcome of each request to an observer', async () => {
  const ended: string[] = []
  await kube.connect(({ url }, response) => json(response, url.startsWith('/no') ? 403 : 200, {}), {
    observe: ({ verb, code, seconds }) => ended.push(`${verb} ${code} ${seconds >= 0}`),
  })
  await kube.api.request({ method: 'GET', path: '/' })
  await caught(kube.api.request({ method: 'PUT', path: '/no', body: {} }))
  await caught(events(kube.api.watch({ path: '/no' })))
  expect(ended).toEqual(['GET 200 true', 'PUT 403 true', 'WATCH 403 true'])
})
