import { create, type DescMethodUnary, type Message, type MessageInitShape } from '@bufbuild/protobuf'
import { type ClientUnaryCall, credentials, Metadata, makeClientConstructor } from '@grpc/grpc-js'
import { serviceDefinition } from '../../http/grpc/definition.js'
import type { ApiCredentials } from '../../test/real/api-client.js'
import { Reader } from '../load.js'

/** One way to send the same request. */
export interface Way {
  readonly name: string
  /** @throws Error when the answer is not a success */
  send(): Promise<void>
}

/** Where Kairship answers, and as whom. */
export interface ApiEndpoint {
  readonly url: string
  /** `host:port` of gRPC. */
  readonly grpc: string
  readonly certificateAuthority: string
  readonly token: string
}

/** The name in Kairship's own certificate: gRPC clients of newer Node.js refuse an IP address as name. */
const TLS_NAME = 'localhost'

/** Sends an operation over both wires. One connection each for gRPC, which multiplexes; REST keeps as many as are in use. */
export class BothWires {
  readonly #rest: Reader
  readonly #clients: { close(): void | Promise<void> }[] = []

  constructor(readonly endpoint: ApiEndpoint) {
    const { url, certificateAuthority: ca, token } = endpoint
    this.#rest = new Reader({ url, ca, token } satisfies ApiCredentials)
  }

  rest(path: string): Way {
    return { name: 'REST', send: () => this.#rest.read(path) }
  }

  /** The same without Kairship, for comparison. */
  direct(name: string, credentials: ApiCredentials, path: string): Way {
    const reader = new Reader(credentials)
    this.#clients.push(reader)
    return { name, send: () => reader.read(path) }
  }

  grpc<I extends Parameters<typeof create>[0]>(
    method: DescMethodUnary<I>,
    request: MessageInitShape<I>,
  ): Way {
    const { grpc, certificateAuthority, token } = this.endpoint
    const Client = makeClientConstructor(serviceDefinition(method.parent) as never, method.parent.name)
    const client = new Client(grpc, credentials.createSsl(Buffer.from(certificateAuthority)), {
      'grpc.ssl_target_name_override': TLS_NAME,
      'grpc.default_authority': TLS_NAME,
    })
    this.#clients.push(client)
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${token}`)
    const message = create(method.input, request)
    const call = client[method.name] as unknown as (
      request: Message,
      metadata: Metadata,
      answered: (error: Error | null) => void,
    ) => ClientUnaryCall
    const send = () =>
      new Promise<void>((resolve, reject) => {
        call.call(client, message, metadata, error => (error ? reject(error) : resolve()))
      })
    return { name: 'gRPC', send }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close()
    await this.#rest.close()
  }
}
