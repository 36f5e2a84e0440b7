import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createFileRegistry,
  createRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { bindingsOf } from '../../transcoding/binding.js'
import { files, services } from './services.js'

/** The descriptors that callers were promised. `npm run proto` compares them with buf, too, and more of them. */
const published = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(join(import.meta.dirname, '../../proto/published.binpb'))),
)
const promised = [...published].filter((item): item is DescService => item.kind === 'service')

/** Where a method is over REST, which buf does not compare. */
const placesOf = (method: DescMethod | undefined) =>
  method && bindingsOf(method).map(({ verb, template, body }) => `${verb} ${template.source} ${body}`)

describe('what was published', () => {
  it('is the services of kairship, among others', () => {
    expect(promised.map(({ typeName }) => typeName)).toContain(
      'kairship.io.api.instance.v1alpha1.InstanceService',
    )
  })

  it.each(
    promised
      .filter(({ typeName }) => typeName.startsWith('kairship.'))
      .map(service => [service.typeName, service] as const),
  )('is still at the same verbs and paths, with the same bodies: %s', (typeName, before) => {
    const now = services.find(service => service.typeName === typeName)
    for (const method of before.methods) {
      const found = placesOf(now?.methods.find(({ name }) => name === method.name))
      expect([method.name, found]).toEqual([method.name, expect.arrayContaining(placesOf(method) ?? [])])
    }
  })
})

const now = createRegistry(...files)
const isOurs = ({ typeName }: { readonly typeName: string }) => typeName.startsWith('kairship.')
const messages = [...published].filter((item): item is DescMessage => item.kind === 'message' && isOurs(item))
const enums = [...published].filter((item): item is DescEnum => item.kind === 'enum' && isOurs(item))

/** What callers of either wire rely on in a field. */
const promiseOf = (field: DescField | undefined) =>
  field && {
    number: field.number,
    name: field.name,
    jsonName: field.jsonName,
    kind: field.fieldKind,
    type: field.message?.typeName ?? field.enum?.typeName ?? field.scalar,
    presence: field.presence,
    ...(field.fieldKind === 'list' && { of: field.listKind }),
    ...(field.fieldKind === 'map' && { of: field.mapKind, key: field.mapKey }),
  }

describe('messages that were published', () => {
  it('are those of all services', () => {
    expect(messages.length).toBeGreaterThan(400)
    expect(enums.length).toBeGreaterThan(20)
  })

  it('still have their fields, with the numbers, names and types', () => {
    for (const before of messages)
      for (const field of before.fields) {
        const found = now.getMessage(before.typeName)?.fields.find(({ number }) => number === field.number)
        expect([before.typeName, promiseOf(found)]).toEqual([before.typeName, promiseOf(field)])
      }
  })

  it('still have their enums, with the values', () => {
    const valuesOf = (found: DescEnum | undefined) => found?.values.map(({ number, name }) => [number, name])
    for (const before of enums)
      expect([before.typeName, valuesOf(now.getEnum(before.typeName))]).toEqual([
        before.typeName,
        expect.arrayContaining(valuesOf(before) ?? []),
      ])
  })

  it('are still what the same methods take and return, as streams or not', () => {
    const shapeOf = (method: DescMethod | undefined) =>
      method && [method.methodKind, method.input.typeName, method.output.typeName]
    for (const before of promised.filter(isOurs))
      for (const method of before.methods) {
        const found = now.getService(before.typeName)?.methods.find(({ name }) => name === method.name)
        expect([method.name, shapeOf(found)]).toEqual([method.name, shapeOf(method)])
      }
  })
})
