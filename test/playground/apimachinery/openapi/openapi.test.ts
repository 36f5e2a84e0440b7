import { describe, expect, it } from 'vitest'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
} from '../../../../playground/apimachinery/json.js'
import { openApiV2 } from '../../../../playground/apimachinery/openapi/openapi-v2.js'
import { encodeOpenApiV2 } from '../../../../playground/apimachinery/openapi/openapi-v2-protobuf.js'
import { openApiV3, openApiV3Index } from '../../../../playground/apimachinery/openapi/openapi-v3.js'
import {
  apiVersionOf,
  type ResourceDefinition,
} from '../../../../playground/apimachinery/resource-definition.js'
import { shipsWith } from '../ships.js'

const ships = shipsWith({
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      description: 'A ship.',
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer', nullable: true, description: 'How big.' } },
        },
      },
    },
  },
})
/** What an aggregated API brings: a schema of its own, under the name that API gives it. */
const boats: ResourceDefinition = {
  ...ships,
  group: 'boats.example.org',
  kind: 'Boat',
  listKind: 'BoatList',
  plural: 'boats',
  singular: 'boat',
  custom: false,
  schema: { ...ships.schema, model: 'org.example.pkg.boats.v1.Boat' },
}
const all: readonly ResourceDefinition[] = [...builtinDefinitions, ships, boats]
const groupVersions = new Map<string, ResourceDefinition[]>()
for (const definition of all) {
  const key = apiVersionOf(definition)
  groupVersions.set(key, [...(groupVersions.get(key) ?? []), definition])
}

function* references(value: Json): Generator<string> {
  if (isArray(value)) for (const one of value) yield* references(one)
  if (!isObject(value)) return
  if (typeof value.$ref === 'string') yield value.$ref
  for (const member of Object.values(value)) yield* references(member)
}

describe('OpenAPI v3', () => {
  it('lists a document for every group version, with a hash of its content', () => {
    const { paths } = openApiV3Index(groupVersions) as unknown as {
      paths: Record<string, { serverRelativeURL: string }>
    }
    expect(Object.keys(paths)).toContain('api/v1')
    expect(paths['apis/apps/v1']!.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{64}$/,
    )
    const again = openApiV3Index(new Map([['apps/v1', [ships]]])) as unknown as typeof paths
    expect(again).not.toEqual(paths)
  })

  it.each([...groupVersions.keys()])('of %s has every component that it refers to', groupVersion => {
    const document = openApiV3(groupVersions.get(groupVersion)!)
    const schemas = objectAt(document, 'components', 'schemas')
    const dangling = [...new Set(references(document))].filter(
      reference => schemas[reference.replace('#/components/schemas/', '')] === undefined,
    )
    expect(dangling).toEqual([])
  })

  it('describes patches of a Deployment for kubectl', () => {
    const document = openApiV3(groupVersions.get('apps/v1')!)
    const patch = objectAt(
      document,
      'paths',
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
      'patch',
    )
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    })
    expect((patch.parameters as unknown as { name: string }[]).map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ])
    expect(Object.keys(objectAt(patch, 'requestBody', 'content'))).toContain(
      'application/strategic-merge-patch+json',
    )
  })

  it('describes built-in types with texts, merge keys and references', () => {
    const schemas = objectAt(openApiV3(groupVersions.get('apps/v1')!), 'components', 'schemas')
    expect(objectAt(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties').containers).toMatchObject({
      type: 'array',
      items: { $ref: '#/components/schemas/io.k8s.api.core.v1.Container' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    })
    expect(objectAt(schemas, 'io.k8s.api.apps.v1.Deployment')).toMatchObject({
      description: expect.stringContaining('declarative updates'),
      properties: {
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
    })
    expect(objectAt(schemas, 'io.k8s.api.apps.v1.DeploymentSpec')).toMatchObject({
      required: ['selector', 'template'],
    })
  })

  it('describes custom types, whose patches have no strategic merge', () => {
    const document = openApiV3([ships])
    expect(objectAt(document, 'components', 'schemas', 'com.example.v1.Ship')).toMatchObject({
      description: 'A ship.',
      properties: {
        spec: { properties: { size: { description: 'How big.', nullable: true } } },
        kind: { type: 'string' },
      },
    })
    const path = '/apis/example.com/v1/namespaces/{namespace}/ships/{name}'
    expect(Object.keys(objectAt(document, 'paths', path, 'patch', 'requestBody', 'content'))).not.toContain(
      'application/strategic-merge-patch+json',
    )
    expect(Object.keys(objectAt(document, 'paths', `${path}/status`))).toEqual([
      'parameters',
      'get',
      'put',
      'patch',
    ])
  })

  it('describes types of an aggregated API under its names, and follows changes of their schema', () => {
    const schemas = objectAt(openApiV3([boats]), 'components', 'schemas')
    expect(schemas['org.example.pkg.boats.v1.Boat']).toMatchObject({ description: 'A ship.' })
    expect(Object.keys(schemas).filter(name => name.endsWith('BoatList'))).toEqual([
      'org.example.pkg.boats.v1.BoatList',
    ])
    const { properties: _, ...poorer } = boats.schema
    const indexOf = (definition: ResourceDefinition) => openApiV3Index(new Map([['v1', [definition]]]))
    expect(indexOf({ ...boats, schema: poorer })).not.toEqual(indexOf(boats))
  })

  it('gives every operation a unique id', () => {
    const ids = all.flatMap(definition =>
      Object.values(objectAt(openApiV3([definition]), 'paths')).flatMap(item =>
        Object.values(item as JsonObject).map(operation => (operation as JsonObject).operationId),
      ),
    )
    const known = ids.filter(id => id !== undefined)
    expect(known.length).toBeGreaterThan(400)
    expect(known.filter((id, at) => known.indexOf(id) !== at)).toEqual([])
  })
})

describe('OpenAPI v2', () => {
  const document = openApiV2(all)

  it('has every definition that it refers to, and only valid Swagger', () => {
    const definitions = objectAt(document, 'definitions')
    const dangling = [...new Set(references(document))].filter(
      reference => definitions[reference.replace('#/definitions/', '')] === undefined,
    )
    expect(dangling).toEqual([])
    expect(/"nullable":true|"(anyOf|oneOf)":\[/.test(JSON.stringify(document))).toBe(false)
    expect(objectAt(definitions, 'io.k8s.apimachinery.pkg.api.resource.Quantity').type).toBe('string')
  })

  it('has a protobuf form with the same names', () => {
    const bytes = encodeOpenApiV2(document)
    const text = Buffer.from(bytes).toString('latin1')
    for (const name of [
      'io.k8s.api.apps.v1.Deployment',
      'com.example.v1.Ship',
      'org.example.pkg.boats.v1.Boat',
      'x-kubernetes-patch-merge-key',
      'dryRun',
    ]) {
      expect(text).toContain(name)
    }
    // swagger = "2.0" is field 1 of the document.
    expect([...bytes.slice(0, 5)]).toEqual([0x0a, 3, 0x32, 0x2e, 0x30])
  })
})
