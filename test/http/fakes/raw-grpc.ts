import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { fromBinary } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import type { Api } from '../../../http/api-options.js'
import { ErrorInfoSchema } from '../../../proto/gen/google/rpc/error_details_pb.js'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'

/** HTTP/2 without a gRPC library, for calls that no library makes: unfinished, malformed, or with hostile headers. */
export class RawGrpc {
  readonly #session: ClientHttp2Session

  constructor({ grpcAddress, certificateAuthority }: Pick<Api, 'grpcAddress' | 'certificateAuthority'>) {
    this.#session = connect(`https://${grpcAddress}`, { ca: certificateAuthority, servername: 'localhost' })
    this.#session.on('error', () => undefined) // its streams fail with it, and say so
  }

  /** Sends the head of a call. Its messages are the caller's to write with `frame`, and its end too. */
  begin(path: string, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
    return this.#session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
  }

  /** Sends a whole call of one message. */
  async call(path: string, message: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Ending> {
    const stream = this.begin(path, headers)
    const ending = endingOf(stream)
    stream.end(frame(message, headers['grpc-encoding'] !== undefined))
    return ending
  }

  close(): void {
    this.#session.destroy()
  }
}

/** How a call ended: gRPC's code and message, and the reason of its google.rpc.ErrorInfo; '' where it has none. */
export interface Ending {
  readonly reason: string
  readonly code: number
  readonly message: string
  readonly requestId: string
}

export async function endingOf(stream: ClientHttp2Stream): Promise<Ending> {
  let found: Record<string, unknown> = {}
  const keep = (headers: object) => {
    found = { ...found, ...headers }
  }
  stream
    .on('response', keep)
    .on('trailers', keep)
    .on('error', () => undefined)
  stream.resume()
  // A server that ended leaves this half open until the client ends it too.
  await new Promise(resolve => stream.once('end', resolve).once('close', resolve))
  stream.close()
  return {
    reason: reasonOf(String(found['grpc-status-details-bin'] ?? '')),
    code: Number(found['grpc-status']),
    message: decodeURIComponent(String(found['grpc-message'] ?? '')),
    requestId: String(found['x-request-id'] ?? ''),
  }
}

function reasonOf(base64: string): string {
  const { details } = fromBinary(StatusSchema, Buffer.from(base64, 'base64'))
  return details.map(one => anyUnpack(one, ErrorInfoSchema)?.reason ?? '').join('')
}

/** A message as it goes over the wire: compressed or not, its length, its bytes. */
export function frame(message: Buffer, compressed = false): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(compressed ? 1 : 0)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
