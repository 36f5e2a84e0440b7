import { Agent, request } from 'node:https'
import { type ChannelCredentials, credentials, Metadata, makeClientConstructor } from '@grpc/grpc-js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { startApi } from '../../http/server.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { fakeFleet, viewOf } from '../../test/http/fakes/fleet.js'
import { fakeHost } from '../../test/http/fakes/host.js'
import { fakeLog } from '../../test/http/fakes/log.js'
import { unmetered } from '../../test/silent.js'

/** What the part measures with. */
export interface DecisionOptions {
  /** Role bindings on the one instance that is asked for. */
  readonly bindings: number
  readonly groups: number
  /** Requests of each row. */
  readonly requests: number
}

/** The time of one decided request, milliseconds. */
export interface DecisionTime {
  readonly median: number
  readonly p99: number
}

/** By wire, then whether the caller is known (`warm`) or its token was never seen (`cold`), then its groups. */
export type DecisionTimes = Readonly<
  Record<
    string,
    Readonly<
      Record<
        'cold' | 'warm',
        { readonly one: DecisionTime; readonly many: DecisionTime; readonly moreMs: number }
      >
    >
  >
>

const INSTANCE = 'north'
const PATH = `/apis/kairship.io/v1alpha1/instances/${INSTANCE}`

/**
 * Requests that cost little but their decision, one after the other over one connection: a get of an Instance over REST and gRPC, and a
 * refusal of the proxy after it has decided (the instance has no connection). The caller's right comes from one of the bindings, by its last group. The
 * host that reviews tokens is in this process and takes no time. Callers of one group and of many take turns, so that what else this
 * machine does meets both alike.
 */
export async function measureDecisions({
  bindings,
  groups,
  requests,
}: DecisionOptions): Promise<DecisionTimes> {
  const fleet = fakeFleet(viewOf(INSTANCE))
  for (let n = 0; n < bindings; n++)
    fleet.roleBindings.give(`b${n}`, 'Viewer', {
      instance: INSTANCE,
      subject: { kind: 'Group', name: `group-${n}` },
    })
  const last = `group-${bindings - 1}`
  const groupsOf = (token: string): string[] =>
    token.startsWith('many')
      ? [...Array.from({ length: groups - 1 }, (_, n) => `unbound-${n}`), last]
      : [last]
  const tokens = new Proxy<Record<string, { user: string; groups: string[] }>>(
    {},
    { get: (_, token: string) => ({ user: token, groups: groupsOf(token) }) },
  )
  const api = await startApi({
    fleet,
    host: fakeHost({ tokens, allows: () => false }),
    connector: kubeConnector(),
    log: fakeLog(),
    auditSink: () => undefined,
    meter: unmetered,
    listen: '127.0.0.1:0',
    grpcListen: '127.0.0.1:0',
  })
  const rest = new Rest(api)
  const grpc = new Grpc(api)
  try {
    const wires: Record<string, (token: string) => Promise<void>> = {
      rest: token => rest.send(PATH, token, 200),
      grpc: token => grpc.send(token),
      proxy: token => rest.send(`${PATH}/proxy/version`, token, 503),
    }
    const found: Record<string, DecisionTimes[string]> = {}
    for (const [wire, send] of Object.entries(wires)) {
      const cold = await compare(send, requests, (caller, round) => `${caller}-${wire}-${round}`)
      const warm = await compare(send, requests, caller => `${caller}-${wire}`)
      found[wire] = { cold, warm }
    }
    return found
  } finally {
    rest.close()
    grpc.close()
    await api.close()
  }
}

async function compare(
  send: (token: string) => Promise<void>,
  requests: number,
  tokenOf: (caller: 'one' | 'many', round: number) => string,
): Promise<DecisionTimes[string]['cold']> {
  const times = { one: [] as number[], many: [] as number[] }
  // The first rounds compile code.
  for (let round = -Math.ceil(requests / 4); round < requests; round++)
    for (const caller of round % 2 === 0 ? (['one', 'many'] as const) : (['many', 'one'] as const)) {
      const began = performance.now()
      await send(tokenOf(caller, round))
      if (round >= 0) times[caller].push(performance.now() - began)
    }
  const [one, many] = [summary(times.one), summary(times.many)]
  return { one, many, moreMs: rounded(many.median - one.median) }
}

function summary(times: number[]): DecisionTime {
  const sorted = times.sort((a, b) => a - b)
  const at = (part: number) =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { median: at(0.5), p99: at(0.99) }
}

const rounded = (ms: number): number => Number(ms.toFixed(3))

interface Listening {
  readonly url: string
  readonly grpcAddress: string
  readonly certificateAuthority?: string
}

class Rest {
  readonly #agent: Agent

  constructor(private readonly api: Listening) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, ca: api.certificateAuthority })
  }

  send(path: string, token: string, expected: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      request(`${this.api.url}${path}`, { agent: this.#agent, headers }, response => {
        if (response.statusCode !== expected) reject(new Error(`${path}: ${response.statusCode}`))
        response.on('end', resolve).on('error', reject).resume()
      })
        .on('error', reject)
        .end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Sends no message but a name, and reads no answer: the messages are not what is measured. */
class Grpc {
  readonly #client: InstanceType<ReturnType<typeof makeClientConstructor>>

  constructor({ grpcAddress, certificateAuthority = '' }: Listening) {
    const trust: ChannelCredentials = credentials.createSsl(Buffer.from(certificateAuthority))
    this.#client = new (makeClientConstructor({}, InstanceService.typeName))(grpcAddress, trust, {
      // Node.js 26 refuses an IP address for a server's name; the certificate is for localhost too.
      'grpc.ssl_target_name_override': 'localhost',
    })
  }

  send(token: string): Promise<void> {
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${token}`)
    const name = Buffer.concat([Buffer.from([10, INSTANCE.length]), Buffer.from(INSTANCE)])
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(
        `/${InstanceService.typeName}/GetInstance`,
        (bytes: Buffer) => bytes,
        () => undefined,
        name,
        metadata,
        error => (error ? reject(error) : resolve()),
      ),
    )
  }

  close(): void {
    this.#client.close()
  }
}
