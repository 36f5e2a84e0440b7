import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceDefinition } from '../../http/grpc/definition.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { errorDetailTypes } from '../../transcoding/error-details.js'
import { bearer, curl, type GrpcClient, grpcClient, listeningApi, unary } from './fakes/listening.js'

let api: Awaited<ReturnType<typeof listeningApi>>
let client: GrpcClient
beforeAll(async () => {
  api = await listeningApi()
  client = grpcClient(api.running)
})
afterAll(async () => {
  client.close()
  await api.running.close()
})

/** Calls that must be answered alike on both wires: rpc, request as proto3 JSON, REST path, who asks. */
const calls: [string, Record<string, unknown>, string, string][] = [
  ['ListInstances', {}, '/instances', 'viewer'],
  ['ListInstances', {}, '/instances', 'north-only'],
  ['ListInstances', {}, '/instances', 'nobody'],
  ['ListInstances', { name: 'o', page: 2, pageSize: 1 }, '/instances?name=o&page=2&pageSize=1', 'viewer'],
  ['ListInstances', { needsAttention: true }, '/instances?needsAttention=true', 'viewer'],
  ['ListInstances', { page: -1 }, '/instances?page=-1', 'viewer'],
  ['GetInstance', { name: 'south' }, '/instances/south', 'viewer'],
  ['GetInstance', { name: 'south' }, '/instances/south', 'north-only'],
  ['GetInstance', { name: 'west' }, '/instances/west', 'viewer'],
  ['GetInstance', { name: 'north' }, '/instances/north', 'unknown-token'],
  ['GetInstanceJSON', { name: 'north' }, '/instances/north/json', 'viewer'],
  ['GetInstanceKarmadaConfig', {}, '/instances/config', 'nobody'],
  ['GetInstanceFailover', { instance: 'north' }, '/instances/north/failover', 'viewer'],
  ['GetInstanceChart', {}, '/instances:chart', 'viewer'],
  ['ExplainInstance', { name: 'north' }, '/instances/north:explain', 'viewer'],
  ['ListInstanceTransitions', { name: 'west' }, '/instances/west/transitions', 'viewer'],
]

it('a message with too many fields is refused over gRPC for a caller without rights', async () => {
  const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'v']))
  const request = { data: { metadata: { name: 'x', labels } } }
  const { error } = await unary(client, 'CreateInstance', request, bearer('nobody'))
  expect([error?.code, error?.details]).toEqual([3, 'the message has more than 50000 fields'])
})

describe('REST and gRPC give equal answers', () => {
  it.each(calls)('%s %j', async (rpc, request, path, token) => {
    const rest = await curl(
      api.running,
      `/apis/kairship.io/v1alpha1${path}`,
      { token },
      { 'x-request-id': 'same' },
    )
    const metadata = bearer(token)
    metadata.set('x-request-id', 'same')
    const { answer, error } = await unary(client, rpc, request, metadata)
    const restJson = JSON.parse(rest.text)
    if (error) {
      const [details] = error.metadata.get('grpc-status-details-bin')
      const status = fromBinary(StatusSchema, details as Buffer)
      expect(toJson(StatusSchema, status, { registry: errorDetailTypes, alwaysEmitImplicit: true })).toEqual(
        restJson,
      )
      expect([error.code, error.details]).toEqual([restJson.code, restJson.message])
    } else {
      expect(rest.status).toBe(200)
      expect(withoutNulls(answer)).toEqual(restJson)
    }
  })
})

/** proto-loader writes absent messages as null; proto3 JSON leaves them out. Structs it leaves raw; json_name it ignores. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  if ('fields' in value) return structOf(value.fields as Record<string, RawValue>)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key === 'controlPlaneId' ? 'controlPlaneID' : key, withoutNulls(item)]),
  )
}

/** A `google.protobuf.Value` as proto-loader leaves it. */
interface RawValue {
  readonly stringValue?: string
  readonly numberValue?: number
  readonly boolValue?: boolean
  readonly listValue?: { readonly values: readonly RawValue[] }
  readonly structValue?: { readonly fields: Record<string, RawValue> }
}
const structOf = (fields: Record<string, RawValue>): unknown =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plainValue(value)]))
const plainValue = ({ stringValue, numberValue, boolValue, listValue, structValue }: RawValue): unknown =>
  listValue?.values.map(plainValue) ??
  (structValue && structOf(structValue.fields)) ??
  stringValue ??
  numberValue ??
  boolValue

describe('the gRPC definition', () => {
  it('encodes and decodes the messages that REST and the handlers use', () => {
    const { GetInstance } = serviceDefinition(InstanceService)
    const request = create(InstanceService.method.getInstance.input, { name: 'x' })
    expect(GetInstance?.requestDeserialize(GetInstance.requestSerialize(request))).toEqual(request)
    expect(GetInstance?.path).toBe('/kairship.io.api.instance.v1alpha1.InstanceService/GetInstance')
  })
})
