import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { WebSocket, WebSocketServer } from 'ws'
import { waitFor } from '../../patience.js'
import { endingOf, frame, RawGrpc } from '../fakes/raw-grpc.js'
import type { ProxyUnderTest } from '../proxy/proxy-under-test.js'
import { root } from '../proxy/proxy-under-test.js'
import { asks, EXEC } from '../proxy/upgrade/raw-upgrades.js'

/** A call that was let in and goes on, and what its caller was told at its end. */
export interface OpenCall {
  readonly kind: string
  /** Set when the caller has seen the end. */
  said: string | undefined
}

const containers = new WebSocketServer({ noServer: true, clientTracking: false })

/** Makes the instance answer as a kube-apiserver does: watches, logs, commands, and writes that it waits for. */
export function instanceThatStreams(proxy: ProxyUnderTest): void {
  proxy.upstream.answer = ({ url = '', method, headers }, response) => {
    if (url === '/livez') {
      response.end()
      return
    }
    if (method === 'POST') return
    const isProtobuf = headers.accept?.includes('protobuf')
    const type = isProtobuf ? 'application/vnd.kubernetes.protobuf;stream=watch' : 'application/json'
    response.writeHead(200, { 'content-type': url.includes('/log') ? 'text/plain' : type })
    if (url.includes('/log')) response.write('line\n')
    else if (!isProtobuf) response.write('{"type":"BOOKMARK"}\n')
    response.flushHeaders()
  }
  proxy.upstream.upgrade = (request, socket, head) => {
    socket.on('error', () => undefined)
    // One that is not read does not notice that the other side has gone.
    socket.resume()
    if (request.headers.upgrade === 'SPDY/3.1')
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
    else
      containers.handleUpgrade(request, socket, head, server => {
        server.on('error', () => undefined)
        server.send(Buffer.from('\u0001$ '))
      })
  }
}

/** Opens a call of every kind as the holder of a token, and waits until each was let in. */
export async function openCalls(proxy: ProxyUnderTest, token: string) {
  const calls: OpenCall[] = []
  const closers: (() => void)[] = []
  const opened = (kind: string): OpenCall => {
    const call: OpenCall = { kind, said: undefined }
    calls.push(call)
    return call
  }
  const { url, certificateAuthority: ca } = proxy.api.running
  const authorization = `Bearer ${token}`

  const follow = async (kind: string, path: string, headers: Record<string, string> = {}) => {
    const call = opened(kind)
    const request = httpsGet(`${url}${path}`, { agent: false, ca, headers: { authorization, ...headers } })
    request.on('error', () => undefined)
    closers.push(() => request.destroy())
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    response.on('error', () => undefined)
    response.on('data', chunk => (text += String(chunk)))
    response.on('close', () => (call.said = `${text}${response.complete ? '' : ' (broken)'}`))
    if (response.statusCode !== 200) throw new Error(`${kind}: ${response.statusCode}`)
  }
  const proxied = `${root}/north/proxy`
  await follow('watch', `${proxied}/api/v1/pods?watch=true`)
  await follow('watch in protobuf', `${proxied}/api/v1/pods?watch=true`, {
    accept: 'application/vnd.kubernetes.protobuf;stream=watch',
  })
  await follow('followed log', `${proxied}/api/v1/namespaces/a/pods/x/log?follow=true`)
  await follow('Server-Sent Events', `${root}/north:inspect`)

  const exec = opened('exec over WebSocket')
  const client = new WebSocket(`${url.replace('https', 'wss')}${root}${EXEC}`, ['v5.channel.k8s.io'], {
    ca,
    headers: { authorization },
  })
  closers.push(() => client.terminate())
  let messages = ''
  client.on('message', data => (messages += String(data)))
  client.on('error', () => undefined)
  client.on('close', (code, reason) => (exec.said = `${messages} close ${code} ${String(reason)}`))
  await waitFor(() => {
    if (messages === '') throw new Error('no output of the command yet')
  })

  const spdy = opened('exec over SPDY')
  const socket = await proxy.socket()
  let bytes = ''
  socket.on('data', chunk => (bytes += String(chunk)))
  socket.on('error', () => undefined)
  socket.on('close', () => (spdy.said = 'closed'))
  closers.push(() => socket.destroy())
  socket.write(asks(['Connection: Upgrade', 'Upgrade: SPDY/3.1'], { token, method: 'POST' }))
  await waitFor(() => {
    if (!bytes.includes('101')) throw new Error(`no upgrade yet: ${bytes}`)
  })

  const grpc = new RawGrpc(proxy.api.running)
  closers.push(() => grpc.close())
  const stream = opened('gRPC')
  const watch = grpc.begin('/kairship.io.api.instance.v1alpha1.InstanceService/InspectInstance', {
    authorization,
  })
  const ending = endingOf(watch)
  watch.end(frame(Buffer.from([10, 5, ...Buffer.from('north')])))
  void ending.then(({ code, message }) => (stream.said = `${code} ${message}`))
  await once(watch, 'data')

  const beginWrite = (kind: string, type: string) => {
    const write = opened(kind)
    const request = proxy.begin(`/north/proxy/api/v1/namespaces/a/${type}`, {
      token,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    request.on('error', () => (write.said ??= 'broken'))
    request.on('response', async (response: IncomingMessage) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      write.said = `${response.statusCode} ${text}`
    })
    closers.push(() => request.destroy())
    return request
  }
  beginWrite('a write that takes long', 'configmaps').end('{}')
  // Its body goes on for as long as its caller likes.
  beginWrite('a write whose body goes on', 'secrets').write('{"data":')
  await waitFor(() => {
    const written = proxy.upstream.requests.filter(({ method }) => method === 'POST').map(({ url }) => url)
    for (const type of ['configmaps', 'secrets'])
      if (!written.some(url => url?.endsWith(type))) throw new Error(`no ${type} have arrived yet`)
  })
  return {
    calls,
    /** Resolves when all have ended; what each was told, by kind. */
    async said(): Promise<Record<string, string>> {
      await waitFor(() => {
        const open = calls.filter(({ said }) => said === undefined).map(({ kind }) => kind)
        if (open.length > 0) throw new Error(`still open: ${open.join(', ')}`)
      })
      return Object.fromEntries(calls.map(({ kind, said = '' }) => [kind, said]))
    },
    close: () => {
      for (const close of closers) close()
    },
  }
}
