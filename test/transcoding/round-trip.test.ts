import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  equals,
  type Message,
  type MessageShape,
  ScalarType,
  toJsonString,
} from '@bufbuild/protobuf'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Dispatcher } from '../../http/dispatch/dispatcher.js'
import { type Operation, operationsOf, type ServiceHandlers } from '../../http/operation/operation.js'
import type { RestEnv } from '../../http/rest/env.js'
import { addRoutes } from '../../http/rest/routes.js'
import { bindingsOf, isHttpMethod } from '../../transcoding/binding.js'
import { EncodeError, encodeRequest } from '../../transcoding/encode.js'
import { services } from '../proto/services.js'

/** Texts that paths, queries and JSON treat in their own ways, beside any. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '',
    'web',
    'a/b',
    '../a',
    '.',
    '..',
    'a:watch',
    'a%2Fb',
    '%',
    'a b',
    '+',
    '?a=b',
    '#',
    '[x]',
    'a&b=c',
    '\n',
    'é',
  ),
)
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

/** A value of a scalar field. */
function scalars(scalar: ScalarType): fc.Arbitrary<unknown> {
  switch (scalar) {
    case ScalarType.BOOL:
      return fc.boolean()
    case ScalarType.STRING:
      return texts
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 5 })
    case ScalarType.DOUBLE:
      // JSON has one zero.
      return fc.double().filter(value => !Object.is(value, -0))
    case ScalarType.INT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    case ScalarType.INT32:
      return int32
    default:
      throw new Error(`no values of ${ScalarType[scalar]}: add some`)
  }
}

/** Free-form JSON, as google.protobuf.Struct holds it. */
const structs = fc.dictionary(
  fc.string({ maxLength: 3 }).filter(key => key !== '__proto__'),
  fc.oneof(fc.integer(), texts, fc.boolean(), fc.constant(null)),
)

function single(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.message) {
    if (field.message.typeName === 'google.protobuf.Struct') return structs
    return messages(field.message, depth + 1)
  }
  if (field.enum) return fc.constantFrom(...field.enum.values.map(({ number }) => number))
  return scalars((field as { scalar: ScalarType }).scalar)
}

function values(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.fieldKind === 'list') return fc.array(single(field, depth), { maxLength: 2 })
  if (field.fieldKind === 'map')
    return fc.dictionary(
      fc.string({ maxLength: 4 }).filter(key => key !== '__proto__'),
      single(field, depth),
      { maxKeys: 2 },
    )
  return single(field, depth)
}

/** Messages of a type with some of its fields set; a cycle ends at the third level. */
function messages<T extends DescMessage>(schema: T, depth = 0): fc.Arbitrary<MessageShape<T>> {
  if (schema.typeName === 'google.protobuf.Value') return fc.constant(create(schema))
  const fields = schema.fields.filter(field => depth < 3 || !field.message)
  const shape = Object.fromEntries(fields.map(field => [field.localName, values(field, depth)]))
  return fc.record(shape, { requiredKeys: [] }).map(init => create(schema, init as never) as MessageShape<T>)
}

/** The requests that the routes of these operations read, instead of calls of handlers. */
function decoder(operations: readonly Operation[]) {
  const taken: { readonly operation: Operation; readonly message: Message }[] = []
  const take = async (operation: Operation, request: () => Promise<Message>): Promise<Message> => {
    taken.push({ operation, message: await request() })
    return create(operation.method.output)
  }
  const dispatcher = {
    unary: take,
    stream: async (operation: Operation, request: () => Promise<Message>) => {
      await take(operation, request)
      return (async function* () {
        yield* []
      })()
    },
  } as unknown as Dispatcher
  const app = new Hono<RestEnv>()
  app.onError((error, c) => c.text(error.message, 400))
  addRoutes(app, operations, dispatcher)
  return async (url: string, init: RequestInit) => {
    const answer = await app.request(url, init, {})
    const read = taken.pop()
    if (!read) throw new Error(`${init.method} ${url} answered ${answer.status}: ${await answer.text()}`)
    return read
  }
}

const handlers = new Proxy({}, { get: () => () => ({}) })
const operations = services.flatMap(service =>
  operationsOf(service, handlers as ServiceHandlers<typeof service>),
)
const decode = decoder(operations)

/** Puts a name into each text of the path that has none: with several of them, few random messages can be said otherwise. */
function namePath(method: DescMethod, message: Message): void {
  const texts = message as unknown as Record<string, unknown>
  for (const segment of bindingsOf(method)[0]?.template.segments ?? [])
    if ('field' in segment) {
      const field = method.input.fields.find(({ name }) => name === segment.field)
      if (field?.scalar === ScalarType.STRING) texts[field.localName] = 'a'
    }
}

/** Messages of each method. */
const RUNS = 30

describe('a request that the client encodes is the request that the server decodes', () => {
  it.each(
    services
      .flatMap(({ methods }) => methods.filter(isHttpMethod))
      .map(method => [`${method.parent.name}.${method.name}`, method] as const),
  )('%s', async (_, method) => {
    let encoded = 0
    await fc.assert(
      fc.asyncProperty(messages(method.input), fc.boolean(), async (message, isNamed) => {
        if (isNamed) namePath(method, message)
        const request = (() => {
          try {
            return encodeRequest(method, message)
          } catch (error) {
            // What HTTP cannot say is refused here, and never sent as something else.
            if (error instanceof EncodeError) return undefined
            throw error
          }
        })()
        if (!request) return
        encoded += 1
        const { verb, path, body } = request
        const headers = { 'content-type': 'application/json' }
        const read = await decode(`https://kairship.test${path}`, {
          method: verb,
          ...(verb !== 'GET' && { headers }),
          ...(body && { body }),
        })
        expect(read.operation.id).toBe(operations.find(one => one.method === method)?.id)
        if (!equals(method.input, read.message as never, message as never))
          expect(toJsonString(method.input, read.message as never)).toBe(
            toJsonString(method.input, message as never),
          )
      }),
      { numRuns: RUNS },
    )
    // A path refuses empty and odd values; without fields in it most messages can be said.
    const hasFieldInPath = bindingsOf(method)[0]?.template.segments.some(segment => 'field' in segment)
    expect(encoded).toBeGreaterThanOrEqual(hasFieldInPath ? 1 : RUNS / 2)
  })
})
