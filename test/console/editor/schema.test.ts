import { describe, expect, it } from 'vitest'
import { manifestsIn } from '../../../console/editor/manifest.js'
import { findingsIn, placeOf, stepsOf } from '../../../console/editor/schema/findings.js'
import { OpenApi } from '../../../console/editor/schema/open-api.js'
import { placeAt } from '../../../console/editor/schema/path-at.js'

const text = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        image: nginx
        ports:
          - containerPort: 80
      # a remark
      tolerations: []
`

describe('the place of a line', () => {
  const at = (line: string, column = line.length) => {
    const lines = text.split('\n')
    return placeAt(lines, lines.indexOf(line), column)
  }

  it.each([
    ['kind: Deployment', [], 'kind'],
    ['  name: web', ['metadata'], 'name'],
    ['      - name: web', ['spec', 'template', 'spec', 'containers', '[]'], 'name'],
    ['        image: nginx', ['spec', 'template', 'spec', 'containers', '[]'], 'image'],
    [
      '          - containerPort: 80',
      ['spec', 'template', 'spec', 'containers', '[]', 'ports', '[]'],
      'containerPort',
    ],
    ['      tolerations: []', ['spec', 'template', 'spec'], 'tolerations'],
  ])('%s', (line, path, key) => {
    expect(at(line)).toMatchObject({ path, key })
  })

  it('depends on the cursor on a blank line, and includes a field that is being typed', () => {
    expect(placeAt(['spec:', '  a:', '    '], 2, 4)).toEqual({
      path: ['spec', 'a'],
      key: '',
      value: undefined,
    })
    expect(placeAt(['spec:', '  a:', '  '], 2, 2)).toMatchObject({ path: ['spec'] })
    expect(placeAt(['spec:', '  repl'], 1, 6)).toEqual({ path: ['spec'], key: 'repl', value: undefined })
    expect(placeAt(['spec:', '  on: tr'], 1, 8)).toEqual({ path: ['spec'], key: 'on', value: 'tr' })
  })

  it('does not extend into the previous manifest', () => {
    expect(placeAt(['spec:', '---', '  a: 1'], 2, 3)).toMatchObject({ path: [] })
  })
})

const openApi = new OpenApi(
  JSON.stringify({
    components: {
      schemas: {
        A: {
          type: 'object',
          required: ['spec'],
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec: { allOf: [{ $ref: '#/components/schemas/Spec' }], description: 'what is wanted' },
          },
          'x-kubernetes-group-version-kind': [{ group: 'a', version: 'v1', kind: 'A' }],
        },
        Spec: {
          type: 'object',
          description: 'a spec',
          properties: {
            replicas: { type: 'integer' },
            mode: { type: 'string', enum: ['Auto', 'Manual'] },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
            port: { 'x-kubernetes-int-or-string': true },
            items: { type: 'array', items: { $ref: '#/components/schemas/Spec' } },
            any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        Loop: { $ref: '#/components/schemas/Loop' },
      },
    },
  }),
)
const schema = openApi.kind('a', 'v1', 'A')!

describe('an OpenAPI document of an API server', () => {
  it('is followed through references, items and additional properties', () => {
    expect(openApi.at(schema, ['spec'])).toMatchObject({ description: 'what is wanted', type: 'object' })
    expect(openApi.at(schema, ['spec', 'items', '[]', 'replicas'])).toEqual({ type: 'integer' })
    expect(openApi.at(schema, ['spec', 'labels', 'anything'])).toEqual({ type: 'string' })
    expect(openApi.at(schema, ['spec', 'toString'])).toBeUndefined()
    expect(openApi.resolved({ $ref: '#/components/schemas/Loop' })).toBeUndefined()
  })

  it('finds the problems of a manifest and their places', () => {
    const of = (spec: string) => {
      const manifest = `apiVersion: a/v1\nkind: A\nmetadata: {name: a}\n${spec}`
      return findingsIn(manifestsIn(manifest)[0]!, { document: openApi, schema }).map(
        ({ from, to, problem }) => [manifest.slice(from, to), problem],
      )
    }
    expect(of('spec: {replicas: 1, mode: Auto, labels: {a: b}, port: 80, any: {x: 1}}')).toEqual([])
    expect(of('spec:\n  replica: 1')).toEqual([['replica', { is: 'unknownField', field: 'replica' }]])
    expect(of('spec:\n  items: [{replicas: "1"}]')).toEqual([['"1"', { is: 'wrongType', wanted: 'integer' }]])
    expect(of('spec:\n  mode: Maybe')).toEqual([['Maybe', { is: 'notOneOf', wanted: ['Auto', 'Manual'] }]])
    expect(of('spec:\n  items: {}')).toMatchObject([['{}', { is: 'wrongType', wanted: 'array' }]])
    expect(of('')).toEqual([['apiVersion', { is: 'missingField', field: 'spec' }]])
  })

  it('finds the field that a server refused, or its nearest written parent', () => {
    const [manifest] = manifestsIn(text)
    const shown = (field: string) => {
      const { from, to } = placeOf(manifest!, field)
      return text.slice(from, to)
    }
    expect(stepsOf('spec.template.metadata.labels[app.kubernetes.io/name]').at(-1)).toBe(
      'app.kubernetes.io/name',
    )
    expect(shown('spec.template.spec.containers[0].image')).toBe('nginx')
    expect(shown('spec.template.spec.containers[0].resources')).toBe('n')
  })
})
