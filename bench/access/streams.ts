import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { kubeConnector } from '../../actors/kube/connector.js'
import type { Api } from '../../http/api-options.js'
import { startApi } from '../../http/server.js'
import { fakeFleet, viewOf } from '../../test/http/fakes/fleet.js'
import { fakeHost } from '../../test/http/fakes/host.js'
import { fakeLog } from '../../test/http/fakes/log.js'
import { frame, RawGrpc } from '../../test/http/fakes/raw-grpc.js'
import { fakeUpstream } from '../../test/http/proxy/fake-upstream.js'
import { unmetered } from '../../test/silent.js'

/** From the lock until the callers of streams saw their ends, milliseconds. */
export interface StreamEnds {
  readonly streams: number
  readonly medianMs: number
  readonly lastMs: number
  /** The last of each kind. */
  readonly lastByKindMs: Readonly<Record<string, number>>
  /** Reviews that the host was asked for while the streams were open and for five seconds at rest. */
  readonly reviews: number
}

const INSTANCE = 'north'
const ROOT = `/apis/kairship.io/v1alpha1/instances/${INSTANCE}`
/** As many as grpc-js serves on one connection, and less. */
const PER_SESSION = 100
const REST_MS = 5_000

/**
 * Opens streams of one caller, a third each of watches through the proxy, Server-Sent Events and gRPC, sets a lock, and waits until the
 * caller has seen the end of each. The callers, the instance and the host are in this process too: their work is in the figures.
 */
export async function measureStreams({ streams }: { readonly streams: number }): Promise<StreamEnds> {
  const upstream = await fakeUpstream()
  upstream.answer = ({ url }, response) => {
    if (!url?.includes('watch=true')) {
      response.end('{}')
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"type":"BOOKMARK","object":{}}\n')
  }
  const fleet = fakeFleet(viewOf(INSTANCE))
  fleet.connections.set(INSTANCE, upstream.api)
  const host = fakeHost({ tokens: { ann: { user: 'ann', groups: ['dev'] } }, allows: () => true })
  const api = await startApi({
    ...{ fleet, host, connector: kubeConnector(), log: fakeLog(), auditSink: () => undefined },
    ...{ meter: unmetered, listen: '127.0.0.1:0', grpcListen: '127.0.0.1:0' },
    ...{ streamsPerCaller: streams, proxyLimits: { streamsPerCaller: streams } },
  })
  const ends: Begun[] = []
  const sessions: RawGrpc[] = []
  try {
    for (let count = 0; count < streams; count++) {
      const kind = (['watch', 'sse', 'grpc'] as const)[count % 3]
      if (kind !== 'grpc') {
        ends.push(await rest(api, kind ?? 'watch'))
        continue
      }
      if (count % (3 * PER_SESSION) === 2) sessions.push(new RawGrpc(api))
      ends.push(await grpc(sessions.at(-1) ?? new RawGrpc(api)))
    }
    await new Promise(resolve => setTimeout(resolve, REST_MS))
    const reviews = host.requests.filter(({ path }) => path.endsWith('reviews')).length
    const began = performance.now()
    fleet.accessLocks.lock('bench', { group: 'dev', message: 'a bench' })
    const times = await Promise.all(ends.map(async ({ kind, at }) => ({ kind, ms: (await at) - began })))
    const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b)
    const last = (kind: string) =>
      Math.round(Math.max(...times.filter(time => time.kind === kind).map(({ ms }) => ms)))
    return {
      ...{ streams, reviews },
      medianMs: Math.round(sorted[Math.floor(streams / 2)] ?? 0),
      lastMs: Math.round(sorted.at(-1) ?? 0),
      lastByKindMs: { watch: last('watch'), sse: last('sse'), grpc: last('grpc') },
    }
  } finally {
    for (const session of sessions) session.close()
    await api.close()
    await upstream.close()
  }
}

/** A stream that has begun, and when its caller saw its end. */
interface Begun {
  readonly kind: string
  readonly at: Promise<number>
}

async function rest(api: Api, kind: 'watch' | 'sse'): Promise<Begun> {
  const path = kind === 'watch' ? `${ROOT}/proxy/api/v1/pods?watch=true` : `${ROOT}:inspect`
  const asked = request(`${api.url}${path}`, {
    agent: new Agent({ keepAlive: false, ca: api.certificateAuthority }),
    headers: { authorization: 'Bearer ann' },
  })
  asked.end()
  const [response] = await once(asked, 'response')
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`)
  response.on('error', () => undefined)
  const at = new Promise<number>(resolve => response.once('close', () => resolve(performance.now())))
  await once(response, 'data')
  response.resume()
  return { kind, at }
}

async function grpc(session: RawGrpc): Promise<Begun> {
  const stream = session.begin('/kairship.io.api.instance.v1alpha1.InstanceService/InspectInstance', {
    authorization: 'Bearer ann',
  })
  stream.on('error', () => undefined)
  const at = new Promise<number>(resolve => stream.once('close', () => resolve(performance.now())))
  stream.end(frame(Buffer.from([10, INSTANCE.length, ...Buffer.from(INSTANCE)])))
  await once(stream, 'data')
  stream.resume()
  return { kind: 'grpc', at }
}
