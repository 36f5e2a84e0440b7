import { Client, credentials, makeClientConstructor } from '@grpc/grpc-js'
import { kubeConnector } from '../../actors/kube/connector.js'
import { RecentEvents } from '../../http/audit/recent-events.js'
import { serviceDefinition } from '../../http/grpc/definition.js'
import { startGrpc } from '../../http/grpc/server.js'
import { selfSigned } from '../../http/listener/serving-certificate.js'
import { managementApi } from '../../http/management-api.js'
import type { Operation } from '../../http/operation/operation.js'
import { requestParts } from '../../http/proxy/request-parts.js'
import { CatchUp } from '../../http/read-your-writes/catch-up.js'
import { WriteLedger } from '../../http/read-your-writes/ledger.js'
import { restApp } from '../../http/rest/app.js'
import { type Code, httpStatus } from '../../transcoding/code.js'
import { bearer, type GrpcClient, TLS_NAME, unary } from '../http/fakes/listening.js'
import type { ContractOperation } from '../proto/sample.js'
import { type Outcome, outcomeOfGrpc, outcomeOfRest } from '../scenarios/support/outcome.js'
import { silent, unaudited, unmetered } from '../silent.js'
import { messageOf, type Parameters, requestOf } from './requests.js'
import { idOf } from './scenario.js'
import type { Target } from './target.js'

/** What carries a call. */
export type Wire = 'rest' | 'grpc'

/** What a call ended with. */
export interface Answered extends Outcome {
  /** Of HTTP; over gRPC what the code is there. */
  readonly status: number
}

/** The management API over a target, as REST and as gRPC. */
export interface ContractApi {
  /** Calls an operation. @param defaults values of parameters of the path that are not given */
  call(wire: Wire, operation: ContractOperation, defaults: Parameters, given: Parameters): Promise<Answered>
  /** From now on the handler of this operation does nothing, and answers with an empty message; of none when absent. */
  empty(id?: string): void
  close(): Promise<void>
}

/** REST without sockets, gRPC on one: both pass the same handlers. */
export async function startContractApi({ api: dependencies, token }: Target): Promise<ContractApi> {
  const common = {
    ...dependencies,
    log: silent,
    audit: unaudited,
    meter: unmetered,
    now: () => performance.now(),
  }
  const ledger = new WriteLedger(common.now)
  const tls = await selfSigned(['127.0.0.1', 'localhost'])
  const api = managementApi({
    ...common,
    recentEvents: new RecentEvents({ most: 100, isInstance: () => true }),
    connector: kubeConnector(),
    karmadaVersion: 'v1.18.2',
    proxy: () => ({ url: 'https://127.0.0.1:1', certificateAuthority: 'PEM' }),
    streamsPerCaller: 10,
    catchUp: new CatchUp(ledger),
    parts: requestParts({ ...common, ledger }),
  })
  let emptied: string | undefined
  const emptiable = (operation: Operation): Operation => ({
    ...operation,
    handle: (request, call) => (operation.id === emptied ? {} : operation.handle(request, call)),
  })
  const services = api.services.map(({ service, operations }) => ({
    service,
    operations: operations.map(emptiable),
  }))
  const operations = services.flatMap(service => service.operations)
  const app = restApp({ ...api, ...common, operations })
  const grpc = await startGrpc({
    ...{ ...api, ...common, services, tls, host: '127.0.0.1', port: 0, requestMs: 60_000 },
    guard: () => undefined,
    ready: async () => true,
  })
  const clients = new Map<string, GrpcClient>()
  const clientOf = ({ method: { parent } }: Operation): GrpcClient => {
    const known = clients.get(parent.typeName)
    if (known) return known
    const Service = makeClientConstructor(serviceDefinition(parent), parent.name)
    const channel = credentials.createSsl(Buffer.from(tls.certificateAuthority ?? tls.certificate))
    const client = new Service(grpc.address, channel, TLS_NAME) as unknown as GrpcClient
    clients.set(parent.typeName, client)
    return client
  }

  return {
    async call(wire, described, defaults, given) {
      const operation = operations.find(({ id }) => id === idOf(described))
      if (!operation) throw new Error(`nothing serves ${idOf(described)}`)
      if (wire === 'rest') {
        const { url, init } = requestOf(described, defaults, given)
        const headers = { authorization: `Bearer ${token}`, ...init.headers }
        const answer = await app.request(url, { ...init, headers }, {})
        return { status: answer.status, ...outcomeOfRest(answer.status, await answer.text()) }
      }
      const { name, input, output } = operation.method
      const message = messageOf(described, input, defaults, given)
      const ended = await unary(clientOf(operation), name, message, bearer(token))
      return { status: httpStatus[(ended.error?.code ?? 0) as Code], ...outcomeOfGrpc(output, ended) }
    },
    empty(id) {
      emptied = id
    },
    async close() {
      api.endStreams()
      for (const client of clients.values()) Client.prototype.close.call(client)
      await grpc.close(1_000)
    },
  }
}
