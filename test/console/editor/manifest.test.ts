import { describe, expect, it } from 'vitest'
import { bodyOf, manifestsIn, objectIn, textOf } from '../../../console/editor/manifest.js'
import { NestedTooDeep } from '../../../console/kube/kube-error.js'

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'settings',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [{}],
    labels: { app: 'shop' },
  },
  data: { debug: 'yes', mode: '0644', 'run.sh': '#!/bin/sh\necho hi\n' },
  status: { seen: 1 },
}

describe('the manifest in the editor', () => {
  it('is written at once where a value has half a megabyte of empty lines before a letter', () => {
    const text = `${'\n'.repeat(500_000)}x`
    const began = performance.now()
    const written = textOf({ ...object, data: { text } })
    // A pattern that tries each way to divide them took minutes.
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(manifestsIn(written)[0]?.document.toJS().data).toEqual({ text })
  })

  it('omits fields that only the server writes, and quotes strings that YAML 1.1 would read as another type', () => {
    expect(textOf(object)).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
  labels:
    app: shop
data:
  debug: "yes"
  mode: "0644"
  run.sh: |
    #!/bin/sh
    echo hi
`)
  })

  it.each([' \n', ' \n\n', ' \n \n', '\n', '\t\n', ' \n  a\n'])(
    'is read again with a value as it was: %j',
    value => {
      const [manifest] = manifestsIn(textOf({ ...object, data: { value } }))
      if (!manifest) throw new Error('no manifest')
      expect(manifest.document.toJS()).toMatchObject({ data: { value } })
      expect(manifestsIn(bodyOf(manifest))[0]?.document.toJS()).toMatchObject({ data: { value } })
    },
  )

  it('is sent with the version at which it was read, and with its status unchanged', () => {
    const [manifest] = manifestsIn(textOf(object))
    const { uid, resourceVersion } = object.metadata
    const sent = bodyOf(manifest!, { uid, resourceVersion, status: object.status })
    expect(manifestsIn(sent)[0]?.document.toJS()).toEqual({
      ...object,
      metadata: { name: 'settings', namespace: 'shop', labels: { app: 'shop' }, uid, resourceVersion },
      status: { seen: 1n },
    })
  })

  it('is sent with the version that its text names, where it names one', () => {
    const [manifest] = manifestsIn(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "3"}}',
    )
    expect(bodyOf(manifest!, { uid: '', resourceVersion: '7' })).toContain('resourceVersion: "3"')
  })

  it('keeps comments, and integers that no double holds', () => {
    const text = 'apiVersion: a/v1\nkind: A\nmetadata:\n  name: a\nspec:\n  # why\n  most: 9007199254740993\n'
    expect(bodyOf(manifestsIn(text)[0]!)).toBe(text)
    const answer = '{"apiVersion":"a/v1","kind":"A","metadata":{"name":"a"},"spec":{"most":9007199254740993}}'
    expect(textOf(objectIn(answer))).toContain('most: 9007199254740993')
  })

  it('keeps a time as a string', () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n  at: 2026-01-01T00:00:00Z\n'
    expect(manifestsIn(text)[0]?.document.toJS().spec.at).toBe('2026-01-01T00:00:00Z')
  })

  it('may merge several mappings into one, as API servers read it', () => {
    const text =
      'apiVersion: v1\nkind: A\nmetadata:\n  name: a\none: &one {a: 1}\nother: &other {b: 2}\nboth:\n  <<: *one\n  <<: *other\n'
    expect(manifestsIn(text)[0]?.document.toJS().both).toEqual({ a: 1n, b: 2n })
  })

  it('may be one of several that are separated by ---, without empty ones', () => {
    const text =
      '---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n# nothing\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n'
    expect(manifestsIn(text).map(({ kind, from }) => [kind, text.slice(from, from + 10)])).toEqual([
      ['A', 'apiVersion'],
      ['B', 'apiVersion'],
    ])
  })

  it.each([
    ['a: [', { is: 'noYaml', code: 'BAD_INDENT', line: 1, column: 5 }],
    ['- a', { is: 'noMapping' }],
    ['a: 1\na: 2', { is: 'repeatedKey', key: 'a' }],
    ['kind: A', { is: 'missing', field: 'apiVersion' }],
    ['apiVersion: v1', { is: 'missing', field: 'kind' }],
    ['apiVersion: v1\nkind: A', { is: 'missing', field: 'metadata.name' }],
    ['apiVersion: 1\nkind: A\nmetadata: {name: a}', { is: 'missing', field: 'apiVersion' }],
  ])('is refused with its problem: %j', (text, problem) => {
    expect(() => manifestsIn(text)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining(problem) }),
    )
  })
})

describe('an object with as many levels as API servers take', () => {
  it('has no YAML, which says so', () => {
    let spec: object = {}
    for (let level = 0; level < 10_000; level += 1) spec = { a: spec }
    const object = { apiVersion: 'example.io/v1', kind: 'Well', metadata: { name: 'deep' }, spec }
    expect(() => textOf(object)).toThrow(NestedTooDeep)
  })
})
