import { describe, expect, it } from 'vitest'
import { UpstreamOnDemand } from '../../../../actors/instance/impersonation/upstream-on-demand.js'
import type { KubeApi, RawExchange, RawRequest, RawSink } from '../../../../ports/kube-api.js'

const request: RawRequest = { method: 'GET', path: '/api', headers: [], long: false, headTimeoutMs: 0 }

/** A connection that is made when `arrive` is called, and what was sent over it. */
function connecting() {
  const sent: string[] = []
  const aborted: Error[] = []
  let [made, closed] = [0, 0]
  let arrive = (): void => undefined
  let refuse = (_: Error): void => undefined
  const exchange = (sink: RawSink): RawExchange => ({
    resume: () => sink.end(),
    abort: reason => void aborted.push(reason),
  })
  const api = {
    upstream: {
      send: ({ path }: RawRequest, sink: RawSink) => {
        sent.push(path)
        return exchange(sink)
      },
    },
    close: async () => void closed++,
  } as unknown as KubeApi
  const upstream = new UpstreamOnDemand('https://north', () => {
    made++
    return new Promise((resolve, reject) => {
      arrive = () => resolve(api)
      refuse = reject
    })
  })
  return {
    upstream,
    sent,
    aborted,
    made: () => made,
    closed: () => closed,
    arrive: () => settled(arrive),
    refuse: (error: Error) => settled(() => refuse(error)),
  }
}

const settled = async (act: () => void = () => undefined): Promise<void> => {
  act()
  await new Promise(setImmediate)
}

function sink() {
  const heard: string[] = []
  const into: RawSink = {
    head: () => undefined,
    data: () => true,
    end: () => void heard.push('end'),
    failed: error => void heard.push(error.message),
  }
  return { heard, into }
}

describe('the upstream on demand', () => {
  it('is connected once for the requests that wait for it, and for those that follow', async () => {
    const { upstream, sent, made, arrive } = connecting()
    expect(made()).toBe(0)
    upstream.send(request, sink().into)
    upstream.send({ ...request, path: '/apis' }, sink().into)
    await arrive()
    upstream.send({ ...request, path: '/version' }, sink().into)
    expect([sent, made()]).toEqual([['/api', '/apis', '/version'], 1])
  })

  it('hands on what is asked of an exchange that waited', async () => {
    const { upstream, aborted, arrive } = connecting()
    const { heard, into } = sink()
    const exchange = upstream.send(request, into)
    await arrive()
    exchange.resume()
    exchange.abort(new Error('hung up'))
    expect([heard, aborted.map(({ message }) => message)]).toEqual([['end'], ['hung up']])
  })

  it('does not send what was aborted while it waited, and says so once, after the sender has its exchange', async () => {
    const { upstream, sent, arrive } = connecting()
    const { heard, into } = sink()
    const exchange = upstream.send(request, into)
    exchange.abort(new Error('hung up'))
    exchange.abort(new Error('again'))
    expect(heard).toEqual([])
    await arrive()
    expect([heard, sent]).toEqual([['hung up'], []])
  })

  it('fails what waited where no connection can be made, and connects again for the next', async () => {
    const { upstream, made, refuse } = connecting()
    const { heard, into } = sink()
    upstream.send(request, into)
    await refuse(new Error('no such file'))
    upstream.send(request, sink().into)
    expect([heard, made()]).toEqual([['no such file'], 2])
  })

  it('sends nothing after it was closed, and closes a connection that arrives then', async () => {
    const { upstream, sent, made, closed, arrive } = connecting()
    const [waited, after] = [sink(), sink()]
    upstream.send(request, waited.into)
    await upstream.close()
    await arrive()
    upstream.send(request, after.into)
    await settled()
    const message = 'the connection to https://north was closed'
    expect([waited.heard, after.heard, sent, made(), closed()]).toEqual([[message], [message], [], 1, 1])
  })
})
