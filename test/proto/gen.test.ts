import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DescField, DescService } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import { loadSync } from '@grpc/proto-loader'
import { describe, expect, it } from 'vitest'
import { comments } from '../../proto/gen/comments.js'
import { http } from '../../proto/gen/google/api/annotations_pb.js'
import { file_google_rpc_error_details } from '../../proto/gen/google/rpc/error_details_pb.js'
import { file_google_rpc_status } from '../../proto/gen/google/rpc/status_pb.js'
import { file_grpc_reflection_v1 } from '../../proto/gen/grpc/reflection/v1_pb.js'
import { file_kairship_instance, InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { file_kairship_permission, permission } from '../../proto/gen/kairship/permission_pb.js'
import { file_kairship_types } from '../../proto/gen/kairship/types_pb.js'

/**
 * proto/gen is committed so that neither `npm ci` nor `npm start` needs buf. Another parser (protobufjs, through
 * proto-loader) reads the .proto files here and must find the same in both. `npm run proto` mends a difference.
 */
const folder = resolve(import.meta.dirname, '../../proto')
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.proto'),
)
const read = loadSync(
  sources.map(name => join(folder, name)),
  { includeDirs: [folder], keepCase: true },
) as unknown as Record<string, Read>

interface Read {
  readonly format?: string
  readonly type?: { name: string; field?: ReadField[]; value?: { name: string; number: number }[] }
  readonly [method: string]: unknown
}
interface ReadField {
  readonly name: string
  readonly number: number
  readonly type: string
  readonly label: string
  readonly typeName?: string
}

const files = [
  file_kairship_instance,
  file_kairship_types,
  file_kairship_permission,
  file_google_rpc_status,
  file_google_rpc_error_details,
  file_grpc_reflection_v1,
]

const describeField = (field: DescField) =>
  `${field.name} = ${field.number}${field.fieldKind === 'list' || field.fieldKind === 'map' ? ' repeated' : ''}`
const describeRead = ({ name, number, label }: ReadField) =>
  `${name} = ${number}${label === 'LABEL_REPEATED' ? ' repeated' : ''}`

describe('the generated descriptors say what the .proto files say', () => {
  for (const message of files.flatMap(file => file.messages)) {
    it(message.typeName, () => {
      const found = read[message.typeName]?.type?.field ?? []
      expect(message.fields.map(describeField)).toEqual(found.map(describeRead))
    })
  }

  for (const enumeration of files.flatMap(file => file.enums)) {
    it(enumeration.typeName, () => {
      const found = read[enumeration.typeName]?.type?.value ?? []
      expect(enumeration.values.map(({ name, number }) => ({ name, number }))).toEqual(
        found.map(({ name, number }) => ({ name, number })),
      )
    })
  }

  it('for the methods of InstanceService, with their paths and permissions', () => {
    const service = read[InstanceService.typeName] as unknown as Record<string, ReadMethod>
    const generated = (InstanceService as DescService).methods.map(method => {
      const { pattern, body } = getOption(method, http)
      const { verb, resource, nameField, filtered, anyCaller } = getOption(method, permission)
      return [
        method.name,
        { [pattern.case ?? '']: pattern.value, ...(body ? { body } : {}) },
        { verb, resource, nameField, filtered, anyCaller },
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
        },
      ]
    })
    expect(generated).toEqual(parsed)
  })

  it('and every rpc but the plainest has its comment', () => {
    expect(comments['kairship.io.api.instance.v1alpha1.InstanceService.DeleteInstance']).toContain('removal')
  })
})

interface ReadMethod {
  readonly options: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
}
