import { create, createFileRegistry, type DescMethod, setExtension } from '@bufbuild/protobuf'
import {
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { namingFieldsOf, objectFieldsOf, permissionOf, targetOf } from '../../../http/operation/permission.js'
import { PermissionSchema, permission } from '../../../proto/gen/kairship/permission_pb.js'
import { parseTemplate } from '../../../transcoding/template.js'

type Fields = readonly string[]
const ALL: Fields = ['instance', 'namespace', 'name', 'cluster', 'cron_job']

/** A method with this permission, whose request has these fields. */
function method(given: object, fields: Fields = ALL): DescMethod {
  const options = create(MethodOptionsSchema)
  setExtension(options, permission, create(PermissionSchema, given))
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: 'test.proto', package: 'test', syntax: 'proto3' },
    messageType: [
      {
        name: 'Request',
        field: fields.map((name, index) => ({
          ...{ name, number: index + 1, type: FieldDescriptorProto_Type.STRING },
        })),
      },
    ],
    service: [
      {
        name: 'TestService',
        method: [{ name: 'Call', inputType: '.test.Request', outputType: '.test.Request', options }],
      },
    ],
  })
  return createFileRegistry(file, () => undefined).getService('test.TestService')!.methods[0]!
}
const jobs = (verb: string, more = {}) => ({
  object: { group: 'batch', version: 'v1', resource: 'jobs', verb, ...more },
})

describe('a permission that a method declares for its object', () => {
  it.each([
    ['list', 'get'],
    ['watch', 'get'],
    ['get', 'get'],
    ['create', 'create'],
    ['update', 'update'],
    ['patch', 'patch'],
    ['delete', 'delete'],
  ])('maps %s inside to %s of the instance’s proxy on the host', (inside, onHost) => {
    expect(permissionOf(method(jobs(inside)))).toMatchObject({
      ...{ verb: onHost, resource: 'instances/proxy', nameField: 'instance' },
    })
  })

  it('names its object by the usual fields, or by those that it declares', () => {
    expect(objectFieldsOf(method(jobs('get')))).toMatchObject({
      ...{ namespace: 'namespace', name: 'name', cluster: 'cluster' },
    })
    expect(objectFieldsOf(method(jobs('list', { nameField: 'cron_job' })))?.name).toBe('cron_job')
    for (const verb of ['list', 'watch']) expect(objectFieldsOf(method(jobs(verb)))?.name).toBeUndefined()
  })

  it('may take the name of an updated object from its manifest', () => {
    const fields = ['instance', 'namespace', 'data']
    const given = jobs('update', { namedByManifest: true })
    expect(objectFieldsOf(method(given, fields))).toMatchObject({ namespace: 'namespace' })
    expect(objectFieldsOf(method(given, fields))?.name).toBeUndefined()
  })

  it.each([
    ['leaves the name of what it deletes to a manifest', jobs('delete', { namedByManifest: true }), ALL],
    ['leaves the name to a manifest that it lacks', jobs('update', { namedByManifest: true }), ALL],
    ['cannot name what it gets', jobs('get'), ['instance', 'namespace']],
    ['cannot name what it updates', jobs('update'), ['instance', 'namespace']],
    ['cannot name what it patches', jobs('patch'), ['instance', 'namespace']],
    ['cannot name what it deletes', jobs('delete'), ['instance', 'namespace']],
    ['names a field that is not there', jobs('get', { nameField: 'other' }), ALL],
    ['has a verb of its own', jobs('obliterate'), ALL],
    ['says twice what is asked on the host', { verb: 'get', ...jobs('get') }, ALL],
    ['would delete a whole collection', jobs('deletecollection'), ALL],
  ])('that %s fails at start-up', (_what, given, fields) => {
    const broken = method(given, fields)
    expect(() => [permissionOf(broken), objectFieldsOf(broken)]).toThrow('test.TestService.Call')
  })

  it.each([
    [['/i/{instance}/jobs/{name}'], jobs('get'), ['instance', 'name']],
    // The body names it.
    [['/i/{instance}/jobs'], jobs('get'), ['instance', 'name']],
    [['/i/{instance}/jobs', '/i/{instance}/c/{cluster}/jobs'], jobs('list'), ['instance']],
    [['/i/{instance}/c/{cluster}/jobs', '/i/{instance}/jobs'], jobs('list'), ['instance']],
    [['/{instance}/{cluster}', '/{instance}/{cluster}/jobs', '/{instance}'], jobs('list'), ['instance']],
    [['/i/{instance}/jobs'], jobs('list', { nameField: 'cron_job' }), ['instance', 'cron_job']],
  ])('at %j must have the fields of every path and the name of its object: %#', (paths, given, fields) => {
    const templates = paths.map(path => parseTemplate(path))
    expect(namingFieldsOf(templates, objectFieldsOf(method(given)))).toEqual(fields)
  })

  it('describes a call, with a type from the request where the proto names none', () => {
    const custom = method({ object: { verb: 'list' } }, ['instance', 'group', 'version', 'resource'])
    const request = { $typeName: 'x', instance: 'i', group: 'g', version: 'v', resource: 'r' }
    expect(targetOf(objectFieldsOf(custom)!, request as never)).toEqual({
      ...{ instance: 'i', verb: 'list', group: 'g', version: 'v', resource: 'r' },
    })
    const named = { $typeName: 'x', instance: 'i', namespace: 'a', name: 'b', cluster: 'm' }
    expect(targetOf(objectFieldsOf(method(jobs('get')))!, named as never)).toEqual({
      ...{ instance: 'i', verb: 'get', group: 'batch', version: 'v1', resource: 'jobs' },
      ...{ namespace: 'a', name: 'b', cluster: 'm' },
    })
  })
})
