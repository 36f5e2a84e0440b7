import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileRegistry, type DescMethod, type DescService, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { bindingsOf } from '../../transcoding/binding.js'
import { services } from './services.js'

/** The descriptors that callers were promised; `npm run proto` compares messages, numbers and types with buf. */
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
