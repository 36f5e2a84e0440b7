import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import { FieldDescriptorProto_Type } from '@bufbuild/protobuf/wkt'
import { loadSync } from '@grpc/proto-loader'
import { describe, expect, it } from 'vitest'
import { comments } from '../../http/rest/comments.js'
import { http } from '../../proto/gen/google/api/annotations_pb.js'
import { file_google_rpc_error_details } from '../../proto/gen/google/rpc/error_details_pb.js'
import { file_google_rpc_status } from '../../proto/gen/google/rpc/status_pb.js'
import { file_grpc_health_v1 } from '../../proto/gen/grpc/health/v1_pb.js'
import { file_grpc_reflection_v1 } from '../../proto/gen/grpc/reflection/v1_pb.js'
import { permission } from '../../proto/gen/kairship/permission_pb.js'
import { testApi } from '../http/fakes/api.js'
import { files as ours, services } from './services.js'

/**
 * proto/gen is committed so that neither `npm ci` nor `npm start` needs buf. Another parser (protobufjs, through
 * proto-loader) reads the .proto files here and must find the same in both. `npm run proto` mends a difference.
 */
const folder = resolve(import.meta.dirname, '../../proto')
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  name => name.endsWith('.proto') && !name.includes('node_modules'),
)
const read = loadSync(
  sources.map(name => join(folder, name)),
  { includeDirs: [folder], keepCase: true },
) as unknown as Record<string, Read>

interface Read {
  readonly format?: string
  readonly type?: ReadType
  readonly [method: string]: unknown
}
interface ReadType {
  readonly name: string
  readonly field?: readonly ReadField[]
  readonly value?: readonly { readonly name: string; readonly number: number }[]
  readonly nestedType?: readonly ReadType[]
  readonly enumType?: readonly ReadType[]
}
interface ReadField {
  readonly name: string
  readonly number: number
  readonly type: string
  readonly label: string
  readonly typeName?: string
}

const files = [
  ...ours,
  file_google_rpc_status,
  file_google_rpc_error_details,
  file_grpc_reflection_v1,
  file_grpc_health_v1,
]

const lastPart = (name: string | undefined) => name?.split('.').pop() ?? ''

/** The other parser names the entries of a map after the field. */
const typeNameOf = ({ fieldKind, name, proto }: DescField) =>
  fieldKind === 'map' ? name.charAt(0).toUpperCase() + name.slice(1) : lastPart(proto.typeName)

const describeField = (field: DescField) =>
  `${field.name} = ${field.number} TYPE_${FieldDescriptorProto_Type[field.proto.type]} ${typeNameOf(field)}${field.fieldKind === 'list' || field.fieldKind === 'map' ? ' repeated' : ''}`
const describeRead = ({ name, number, label, type, typeName }: ReadField) =>
  `${name} = ${number} ${type} ${lastPart(typeName)}${label === 'LABEL_REPEATED' ? ' repeated' : ''}`

/** What was read, by full name: the parser lists types that stand inside messages only there. */
const found = new Map<string, ReadType>()
const add = (fullName: string, type: ReadType) => {
  found.set(fullName, type)
  for (const inner of [...(type.nestedType ?? []), ...(type.enumType ?? [])])
    add(`${fullName}.${inner.name}`, inner)
}
for (const [fullName, { type }] of Object.entries(read)) if (type) add(fullName, type)

/** A message and those inside it, but for the entries of maps. */
const withNested = (message: DescMessage): DescMessage[] => [
  message,
  ...message.nestedMessages.flatMap(withNested),
]
const enums: DescEnum[] = files.flatMap(file => [
  ...file.enums,
  ...file.messages.flatMap(withNested).flatMap(message => message.nestedEnums),
])

describe('the generated descriptors match the .proto files', () => {
  for (const message of files.flatMap(file => file.messages).flatMap(withNested)) {
    it(message.typeName, () => {
      const fields = found.get(message.typeName)?.field ?? []
      expect(message.fields.map(describeField)).toEqual(fields.map(describeRead))
    })
  }

  for (const enumeration of enums) {
    it(enumeration.typeName, () => {
      const values = found.get(enumeration.typeName)?.value ?? []
      expect(enumeration.values.map(({ name, number }) => ({ name, number }))).toEqual(
        values.map(({ name, number }) => ({ name, number })),
      )
    })
  }

  it.each(services)('for the methods of $name, with their paths and permissions', described => {
    const service = read[described.typeName] as unknown as Record<string, ReadMethod>
    const generated = described.methods.map(method => {
      const { pattern, body } = getOption(method, http)
      const { verb, resource, nameField, filtered, anyCaller, createdNameField } = getOption(
        method,
        permission,
      )
      return [
        method.name,
        { [pattern.case ?? '']: pattern.value, ...(body ? { body } : {}) },
        { verb, resource, nameField, filtered, anyCaller, createdNameField },
      ]
    })
    const parsed = Object.entries(service).map(([name, { options }]) => {
      const given = options['(options.permission)'] ?? {}
      return [
        name,
        options['(google.api.http)'],
        {
          verb: given.verb ?? '',
          resource: given.resource ?? '',
          nameField: given.name_field ?? '',
          filtered: given.filtered ?? false,
          anyCaller: given.any_caller ?? false,
          createdNameField: given.created_name_field ?? '',
        },
      ]
    })
    expect(generated).toEqual(parsed)
  })

  it('and include the comments of served services', () => {
    for (const { service } of testApi().api.services)
      expect(comments[service.typeName], service.name).toBeTruthy()
    expect(comments['kairship.io.api.instance.v1alpha1.InstanceService.DeleteInstance']).toContain('removal')
  })
})

interface ReadMethod {
  readonly options: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
}
