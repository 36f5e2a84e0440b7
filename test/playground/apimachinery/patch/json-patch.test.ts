import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../../manifests/status-error.js'
import { jsonPatch } from '../../../../playground/apimachinery/patch/json-patch.js'

const document = { metadata: { name: 'a', labels: { x: '1' } }, spec: { list: ['a', 'b'] } }

const refusal = (patch: unknown): StatusError => {
  try {
    jsonPatch(document, patch)
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('the patch was applied')
}

describe('a JSON patch', () => {
  it.each([
    [[{ op: 'add', path: '/spec/list/-', value: 'c' }], { list: ['a', 'b', 'c'] }],
    [[{ op: 'add', path: '/spec/list/0', value: 'c' }], { list: ['c', 'a', 'b'] }],
    [[{ op: 'remove', path: '/spec/list/0' }], { list: ['b'] }],
    [[{ op: 'replace', path: '/spec/list', value: null }], { list: null }],
    [[{ op: 'copy', from: '/spec/list', path: '/spec/other' }], { list: ['a', 'b'], other: ['a', 'b'] }],
    [[{ op: 'move', from: '/spec/list/1', path: '/spec/list/0' }], { list: ['b', 'a'] }],
    [
      [
        { op: 'test', path: '/metadata/labels/x', value: '1' },
        { op: 'add', path: '/spec/a~1b', value: 1 },
      ],
      { list: ['a', 'b'], 'a/b': 1 },
    ],
  ])('%j changes spec to %j', (patch, spec) => {
    expect(jsonPatch(document, patch).spec).toEqual(spec)
    expect(document.spec).toEqual({ list: ['a', 'b'] })
  })

  it('that replaces a missing member adds it, as Kubernetes does and RFC 6902 does not', () => {
    expect(jsonPatch({ spec: {} }, [{ op: 'replace', path: '/spec/missing', value: 1 }])).toEqual({
      spec: { missing: 1 },
    })
  })

  it('that modifies its own added value has the same result when it is applied again', () => {
    const patch = [
      { op: 'add', path: '/spec/other', value: [] },
      { op: 'add', path: '/spec/other/-', value: 'c' },
    ]
    for (let time = 0; time < 2; time++)
      expect(jsonPatch(document, patch).spec).toEqual({ list: ['a', 'b'], other: ['c'] })
  })

  it.each([
    [[{ op: 'test', path: '/metadata/name', value: 'b' }]],
    [[{ op: 'remove', path: '/spec/missing' }]],
    [[{ op: 'add', path: '/nowhere/x', value: 1 }]],
    [[{ op: 'add', path: '/spec/list/9', value: 1 }]],
    [[{ op: 'move', path: '/spec/x' }]],
    [[{ op: 'add', path: '/spec/x' }]],
    [[{ op: 'merge', path: '/spec/x', value: 1 }]],
    [[{ op: 'replace', path: '', value: [] }]],
    [[{ op: 'add', path: '/__proto__/polluted', value: 1 }]],
  ])('%j gets 422 Invalid without naming an operation', patch => {
    const { status } = refusal(patch)
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    })
  })

  it('applies nothing when a later operation fails', () => {
    refusal([
      { op: 'remove', path: '/metadata/labels' },
      { op: 'test', path: '/metadata/name', value: 'b' },
    ])
    expect(document.metadata.labels).toEqual({ x: '1' })
  })

  it('that is not a list gets 400', () => {
    expect(refusal({ op: 'add' }).status).toMatchObject({ code: 400, reason: 'BadRequest' })
    expect(refusal(['x']).code).toBe(400)
  })

  it('of more than 10,000 operations gets 413', () => {
    const operation = { op: 'test', path: '/metadata/name', value: 'a' }
    expect(refusal(Array.from({ length: 10_001 }, () => operation)).code).toBe(413)
    expect(
      jsonPatch(
        document,
        Array.from({ length: 10_000 }, () => operation),
      ),
    ).toEqual(document)
  })
})
