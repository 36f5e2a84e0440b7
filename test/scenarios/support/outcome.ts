import { isDeepStrictEqual } from 'node:util'
import {
  create,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from '@bufbuild/protobuf'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'
import { errorDetailTypes } from '../../../transcoding/error-details.js'
import type { GrpcError } from '../../http/fakes/listening.js'

/**
 * What a call ended with: its answer, or google.rpc.Status, both as proto3 JSON with zero values; and as text, of a refusal its
 * message with the fields that are wrong.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export type Outcome = { readonly ok: boolean; readonly json: any; readonly text: string }

/** What a call over REST ended with. */
export function outcomeOfRest(status: number, text: string): Outcome {
  const json = JSON.parse(text)
  return status === 200 ? { ok: true, json, text: textOf(json) } : refusal(json)
}

/** What a call over gRPC ended with. @param output the type of its answer */
export function outcomeOfGrpc(
  output: DescMessage,
  { answer, error }: { readonly answer?: object; readonly error?: GrpcError },
): Outcome {
  if (!error) {
    const json = toJson(output, answer as Message, { alwaysEmitImplicit: true })
    return { ok: true, json, text: textOf(json) }
  }
  const [details] = error.metadata.get('grpc-status-details-bin')
  const status = details ? fromBinary(StatusSchema, details as Buffer) : create(StatusSchema)
  const json = toJson(StatusSchema, status, { registry: errorDetailTypes, alwaysEmitImplicit: true })
  return refusal(json as JsonObject)
}

/** @throws Error for a refusal without a reason for programs: every one has one */
function refusal(json: JsonObject): Outcome {
  const details = Array.isArray(json.details) ? (json.details as JsonObject[]) : []
  const info = details.find(detail => String(detail['@type']).endsWith('google.rpc.ErrorInfo'))
  if (!/^[A-Z][A-Za-z]+$/.test(String(info?.reason ?? '')))
    throw new Error(`a refusal without a reason: ${JSON.stringify(json)}`)
  return { ok: false, json, text: textOf(json) }
}

/** Whether two calls ended alike: each has its own request id. */
export const isSame = (one: Outcome, other: Outcome): boolean =>
  isDeepStrictEqual(withoutRequestId(one.json), withoutRequestId(other.json))

/** An answer without the id of its request, which only google.rpc.Status has. */
export function withoutRequestId(json: JsonValue): JsonValue {
  if (typeof json !== 'object' || json === null || Array.isArray(json) || !Array.isArray(json.details))
    return json
  return {
    ...json,
    details: json.details.filter(
      detail => !String((detail as JsonObject)['@type']).endsWith('google.rpc.RequestInfo'),
    ),
  }
}

function textOf(json: JsonValue): string {
  const { message, details } = json as { message?: string; details?: { fieldViolations?: object[] }[] }
  if (message === undefined || !details) return JSON.stringify(json)
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations)
  return [message, ...fields.map(violation => Object.values(violation).join(' '))].join('\n')
}
