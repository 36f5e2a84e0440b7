import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { invalidFields } from '../../../http/errors/failure.js'
import { serviceError } from '../../../http/grpc/service-error.js'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'

/** What a gRPC caller gets for a field with this description. */
function refusal(description: string) {
  const { message, details, metadata } = serviceError(invalidFields([{ field: 'name', description }]), 'r')
  const [bytes] = metadata.get('grpc-status-details-bin')
  const status = fromBinary(StatusSchema, bytes as Buffer)
  const types = status.details.map(({ typeUrl }) => typeUrl.split('.').at(-1))
  // Base64, and at the worst three letters for each byte of the message.
  const trailers = (bytes as Buffer).length * 1.4 + Buffer.byteLength(details) * 3
  return { message, details, status, types, trailers }
}

describe('a refusal over gRPC', () => {
  it('is the whole status where it is short', () => {
    const { message, details, status, types } = refusal('is no name')
    expect([message, details, status.message]).toEqual(Array(3).fill('name: is no name'))
    expect(types).toEqual(expect.arrayContaining(['BadRequest', 'ErrorInfo', 'RequestInfo']))
  })

  it.each([
    ['letters', 'x'],
    ['characters of three bytes', '€'],
  ])('fits into the trailers where it repeats 60,000 %s, and keeps its beginning and reason', (_, letter) => {
    const { details, status, types, trailers } = refusal(`is ${letter.repeat(60_000)}`)
    expect(details).toMatch(new RegExp(`^name: is ${letter}{1000}.*…$`))
    expect(status.message).toBe(details)
    expect(types).toEqual(expect.arrayContaining(['ErrorInfo', 'RequestInfo']))
    expect(types).not.toContain('BadRequest')
    expect(trailers).toBeLessThan(60_000)
  })
})
