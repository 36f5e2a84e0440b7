import { create, createFileRegistry, setExtension } from '@bufbuild/protobuf'
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { operationsOf, type ServiceHandlers } from '../../../http/operation/operation.js'
import { http } from '../../../proto/gen/google/api/annotations_pb.js'
import { type HttpRule, HttpRuleSchema } from '../../../proto/gen/google/api/http_pb.js'

/** The operations of a service with one method: `Call(Request)`, whose fields are `name`, `names` (a list) and `inner`. */
function operationsWith(rule: HttpRule) {
  const options = create(MethodOptionsSchema)
  setExtension(options, http, rule)
  const file = create(FileDescriptorProtoSchema, {
    name: 'test.proto',
    package: 'test',
    syntax: 'proto3',
    messageType: [
      {
        name: 'Request',
        field: [
          { name: 'name', number: 1, type: FieldDescriptorProto_Type.STRING },
          {
            name: 'names',
            number: 2,
            type: FieldDescriptorProto_Type.STRING,
            label: FieldDescriptorProto_Label.REPEATED,
          },
          { name: 'inner', number: 3, type: FieldDescriptorProto_Type.MESSAGE, typeName: '.test.Request' },
        ],
      },
    ],
    service: [
      {
        name: 'TestService',
        method: [{ name: 'Call', inputType: '.test.Request', outputType: '.test.Request', options }],
      },
    ],
  })
  const service = createFileRegistry(file, () => undefined).getService('test.TestService')!
  return operationsOf(service, { call: () => ({}) } as ServiceHandlers<typeof service>)
}

const get = (value: string, more: Partial<HttpRule> = {}) =>
  create(HttpRuleSchema, { pattern: { case: 'get', value }, ...more } as never)

describe('the HTTP rule of a method', () => {
  it('may bind a field of a message, and one field as the body', () => {
    const [operation] = operationsWith(get('/a/{inner.name}', { body: 'inner' }))
    expect(operation?.bindings).toMatchObject([{ verb: 'GET', body: 'inner' }])
  })

  it.each([
    [
      'a custom method',
      create(HttpRuleSchema, { pattern: { case: 'custom', value: { kind: 'COPY', path: '/a' } } }),
      'COPY',
    ],
    ['a response body', get('/a', { responseBody: 'name' }), 'response_body'],
    ['no path', create(HttpRuleSchema, {}), 'no path'],
    ['an unknown body field', get('/a', { body: 'other' }), 'the body other'],
    ['an unknown path field', get('/a/{other}'), '{other}'],
    ['a list in its path', get('/a/{names}'), '{names}'],
    ['a message in its path', get('/a/{inner}'), '{inner}'],
    [
      'bindings inside bindings',
      get('/a', { additionalBindings: [get('/b', { additionalBindings: [get('/c')] })] }),
      'inside additional_bindings',
    ],
  ])('with %s fails at start-up', (_, rule, problem) => {
    expect(() => operationsWith(rule)).toThrow(problem)
    expect(() => operationsWith(rule)).toThrow('test.TestService.Call')
  })
})
