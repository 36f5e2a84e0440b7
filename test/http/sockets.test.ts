import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { credentials, loadPackageDefinition, Metadata, type ServiceError } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../patience.js'
import { deferred } from './fakes/deferred.js'
import { viewOf } from './fakes/fleet.js'
import {
  bearer,
  closedAfterEach,
  curl,
  grpcClient,
  type Listening,
  TLS_NAME,
  unary,
} from './fakes/listening.js'

const listening = closedAfterEach()

const path = '/apis/kairship.io/v1alpha1/instances'

describe('a gRPC call', () => {
  it('ends at its deadline, upstream too', async () => {
    const { running, host } = await listening()
    let upstream: AbortSignal | undefined
    host.script = ({ method, signal }) => {
      if (method !== 'DELETE') return undefined
      upstream = signal
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }
    const client = grpcClient(running)
    // As short as lets the call reach the host on this machine.
    for (let ms = 300; !upstream; ms *= 4) {
      const deadline = Date.now() + ms
      const { error } = await unary(client, 'DeleteInstance', { name: 'north' }, bearer('admin'), {
        deadline,
      })
      expect(error?.code).toBe(4)
    }
    await waitFor(() => expect(upstream?.aborted).toBe(true))
    client.close()
  })

  it('is aborted upstream when its caller cancels it', async () => {
    const { running, host, log } = await listening()
    const arrived = deferred<AbortSignal>()
    host.script = ({ method, signal }) => {
      if (method !== 'DELETE' || !signal) return undefined
      arrived.resolve(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const client = grpcClient(running)
    const call = client.DeleteInstance!({ name: 'north' }, bearer('admin'), {}, () => undefined) as {
      cancel(): void
    }
    const upstream = await arrived.promise
    call.cancel()
    await waitFor(() => expect(upstream.aborted).toBe(true))
    await waitFor(() => expect(log.audits()).toMatchObject([{ code: 'CANCELLED', name: 'north' }]))
    client.close()
  })

  it('streams at the reader’s pace, and ends with a status when the server stops', async () => {
    const { running, fleet } = await listening()
    const client = grpcClient(running)
    const stream = client.WatchInstances!({}, bearer('viewer'), {}, undefined) as unknown as AsyncIterable<{
      type: string
      resume_token: string
    }>
    const types: string[] = []
    let failure: ServiceError | undefined
    try {
      for await (const { type } of stream) {
        types.push(type)
        if (type === 'BOOKMARK') fleet.set(viewOf('west'))
        if (types.length === 5) void running.close()
      }
    } catch (error) {
      failure = error as ServiceError
    }
    expect(types).toEqual(['RESET', 'ADDED', 'ADDED', 'BOOKMARK', 'ADDED'])
    expect([failure?.code, failure?.details]).toEqual([
      14,
      'the server is shutting down: resume with the last token',
    ])
    client.close()
  })

  it('without credentials is refused, except for health', async () => {
    const { running, host } = await listening()
    host.script = ({ path }) => (path === '/readyz' ? 'ok' : undefined)
    const client = grpcClient(running)
    expect((await unary(client, 'ListInstances', {}, new Metadata())).error?.code).toBe(16)
    client.close()
    expect(await health(running)).toBe('SERVING')
  })
})

/** grpc.health.v1.Health/Check, asked by anybody. */
function health({ grpcAddress, certificateAuthority = '' }: Listening['running']): Promise<string> {
  const proto = join(import.meta.dirname, '../../proto/grpc/health/v1.proto')
  const { grpc } = loadPackageDefinition(loadSync(proto, { enums: String })) as never as {
    grpc: { health: { v1: { Health: new (...args: unknown[]) => HealthClient } } }
  }
  const client = new grpc.health.v1.Health(
    grpcAddress,
    credentials.createSsl(Buffer.from(certificateAuthority)),
    TLS_NAME,
  )
  return new Promise((resolve, reject) =>
    client.Check({ service: '' }, (error, answer) => {
      client.close()
      if (error) reject(error)
      else resolve(answer.status)
    }),
  )
}
interface HealthClient {
  Check(request: object, callback: (error: Error | null, answer: { status: string }) => void): void
  close(): void
}

/** A connection of its own, as raw as it gets. */
async function connection({ url, certificateAuthority }: Listening['running']): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({
    host: hostname,
    port: Number(port),
    ca: certificateAuthority,
    servername: 'localhost',
  })
  await once(socket, 'secureConnect')
  return socket
}

const send = (socket: TLSSocket, line: string, token: string) =>
  socket.write(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)

async function watching(
  running: Listening['running'],
): Promise<{ socket: TLSSocket; status: string | undefined }> {
  const socket = await connection(running)
  send(socket, `GET ${path}:watch`, 'viewer')
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return { socket, status: String(chunk).split(' ')[1] }
}

describe('the REST listener', () => {
  it('answers with its settings: the Karmada release, and the URL in kubeconfigs', async () => {
    const set = { karmadaVersion: 'v1.19.0', externalUrl: 'https://kairship.example/' }
    const { running } = await listening(undefined, set)
    const config = await curl(running, `${path}/config`, { token: 'viewer' })
    expect(JSON.parse(config.text)).toEqual({ version: 'v1.19.0' })
    const { text } = await curl(running, `${path}/north/kubeconfig`, { token: 'viewer' })
    expect(JSON.parse(text).kubeConfigString).toContain(
      'server: https://kairship.example/apis/kairship.io/v1alpha1/instances/north/proxy\n',
    )
  })

  it('aborts the upstream request when a caller disconnects', async () => {
    const { running, host } = await listening()
    const arrived = deferred<AbortSignal>()
    host.script = ({ method, signal }) => {
      if (method !== 'DELETE' || !signal) return undefined
      arrived.resolve(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const socket = await connection(running)
    send(socket, `DELETE ${path}/north`, 'admin')
    const upstream = await arrived.promise
    socket.destroy()
    await waitFor(() => expect(upstream.aborted).toBe(true))
  })

  it('ends a stream whose reader has disconnected', async () => {
    const { running } = await listening(undefined, { streamsPerCaller: 1 })
    const first = await watching(running)
    expect(first.status).toBe('200')
    expect((await curl(running, `${path}:watch`, { token: 'viewer' })).status).toBe(429)
    first.socket.destroy()
    await waitFor(async () => {
      const second = await watching(running)
      second.socket.destroy()
      expect(second.status).toBe('200')
    })
  })

  it('refuses headers that are too large before reading all of them', async () => {
    const { running } = await listening()
    const answer = await curl(running, path, { token: 'viewer' }, { 'x-large': 'x'.repeat(40_000) })
    expect(answer.status).toBe(431)
  })

  it('answers health without credentials, and no other path', async () => {
    const { running, fleet } = await listening()
    expect(await curl(running, '/healthz')).toMatchObject({ status: 200, text: 'ok' })
    expect((await curl(running, '/metrics')).status).toBe(401)
    fleet.synced = false
    const ready = await curl(running, '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.text).toContain('[-]fleet failed: the instances have not been read from the host yet')
  })

  it('is ready when the host answers, and names the leader', async () => {
    const { running, host } = await listening()
    host.script = ({ path }) => (path === '/readyz' ? 'ok' : undefined)
    const ready = await curl(running, '/readyz')
    expect([ready.status, ready.text]).toEqual([
      200,
      '[+]running ok\n[+]fleet ok\n[+]role-bindings ok\n[+]access-locks ok\n[+]host ok\n[i]lease held by replica-1 (this replica)\nreadyz check passed\n',
    ])
  })

  it('finishes calls in flight when it stops, and refuses new ones', async () => {
    const { running, host } = await listening()
    const arrived = deferred<void>()
    const release = deferred<object>()
    host.script = ({ method }) => {
      if (method !== 'DELETE') return undefined
      arrived.resolve(undefined)
      return release.promise
    }
    const socket = await connection(running)
    send(socket, `DELETE ${path}/north`, 'admin')
    await arrived.promise
    const closed = running.close()
    expect(await running.readiness()).toMatchObject({ ready: false })
    release.resolve({})
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(String(chunk)).toMatch(/^HTTP\/1.1 200/)
    await closed
    await expect(curl(running, '/healthz')).rejects.toThrow('ECONNREFUSED')
  })
})

// Node's own limit for a handshake is 120 s: whoever waits for that fails here, and slowness does not.
it('the API stops although a client connected without a TLS handshake', { timeout: 100_000 }, async () => {
  const { running } = await listening(undefined, { graceMs: 10 })
  const { hostname, port } = new URL(running.url)
  const silent = connectPlain({ host: hostname, port: Number(port), allowHalfOpen: true })
  await once(silent, 'connect')
  silent.end()
  const left = once(silent, 'close')
  silent.resume()
  await running.close()
  await left
})
