import { describe, expect, it } from 'vitest'
import { Failure } from '../../../http/errors/failure.js'
import { manifestOf, patchOf } from '../../../http/objects/manifest.js'

const type = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true }
const clusterWide = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false }
const read = (data: string, more = {}) => manifestOf(data, { type, ...more })

/** The fields that are wrong, with what is said of them. */
function refusal(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return (error.details.violations ?? []).map(({ field, description }) => `${field} ${description}`)
  }
  throw new Error('it was not refused')
}

describe('a manifest', () => {
  it('is parsed from JSON or YAML, and keeps unknown fields', () => {
    const yaml = 'metadata: {name: a, unknown: 1}\nspec: {new: {deep: [x]}}\nmore: true\n'
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', unknown: 1 },
      spec: { new: { deep: ['x'] } },
      more: true,
    }
    expect(read(yaml)).toEqual(object)
    expect(read(JSON.stringify(object))).toEqual(object)
    expect(read(`{metadata: {name: a}}`).metadata.name).toBe('a')
  })

  it('in YAML is parsed as kubectl parses it', () => {
    const { spec } = read(
      'metadata: {name: a}\nspec: {mode: 0644, on: on, date: 2020-01-02, ports: 22:22, time: 1:30:00, text: "on", hex: 0x1F}\n',
    ) as unknown as { spec: object }
    expect(spec).toEqual({
      mode: 420,
      true: true,
      date: '2020-01-02',
      ports: '22:22',
      time: '1:30:00',
      text: 'on',
      hex: 31,
    })
  })

  it('gets the namespace of the path, whatever it contains itself', () => {
    const inB = '{"metadata":{"name":"a","namespace":"b"}}'
    expect(read(inB, { namespace: 'c' }).metadata.namespace).toBe('c')
    expect(read(inB).metadata.namespace).toBe('b')
    expect(read('metadata: {}', { name: 'a' }).metadata.name).toBe('a')
    expect(read('metadata: {generateName: a-}').metadata).toEqual({ generateName: 'a-' })
  })

  it.each([
    ['no name', 'metadata: {}', {}, 'data.metadata.name is required'],
    ['another name', 'metadata: {name: a}', { name: 'b' }, 'data.metadata.name is "a", but must be "b"'],
    [
      'another kind',
      'kind: Service\nmetadata: {name: a}',
      {},
      'data.kind is "Service", but must be "Deployment"',
    ],
    [
      'another version',
      'apiVersion: apps/v1beta1\nmetadata: {name: a}',
      {},
      'data.apiVersion is "apps/v1beta1", but must be "apps/v1"',
    ],
    ['a number for a name', 'metadata: {name: 1}', {}, 'data.metadata.name must be text'],
    ['a list', '[]', {}, 'data is not an object'],
    ['text', 'hello', {}, 'data is not an object'],
    ['metadata that is text', 'metadata: x', {}, 'data.metadata is not an object'],
    ['nothing', '', {}, 'data holds 0 documents: it must hold exactly one'],
    ['two documents', 'a: 1\n---\nb: 2', {}, 'data holds 2 documents: it must hold exactly one'],
    [
      'a namespace where there is none',
      'metadata: {name: a, namespace: b}',
      { type: clusterWide },
      'data.metadata.namespace must be absent: a Node has no namespace',
    ],
  ])('with %s is refused with the field', (_what, data, more, expected) => {
    expect(refusal(() => read(data, more))).toContain(expected)
  })

  it.each([
    ['broken JSON', '{"a":'],
    ['broken YAML', 'a: [\nb'],
    ['duplicate keys', 'a: 1\na: 2'],
    ['deep lists', '['.repeat(100_000)],
    ['deep nesting without brackets', '- '.repeat(100_000)],
    ['many documents', '---\n'.repeat(100_000)],
    ['many aliases', `a: &a [x]\n${Array.from({ length: 100 }, (_, n) => `b${n}: *a`).join('\n')}`],
    ['a tag of a program', 'a: !!js/function "x"'],
    ['many values in YAML', `a:\n${'- 0\n'.repeat(300_000)}`],
    ['many values between brackets', `a: [${'0,'.repeat(300_000)}]`],
    ['many explicit keys', '? a\n'.repeat(300_000)],
    ['many values in JSON', `{"a":[${'0,'.repeat(300_000)}0]}`],
    ['3 MB', `a: ${'x'.repeat(3 << 20)}`],
  ])('of %s is refused quickly', (_what, data) => {
    expect(refusal(() => read(data))).toEqual([expect.stringMatching(/^data (is|holds|has) /)])
  })
})

describe('the values of a manifest', () => {
  it.each([
    ['in YAML', (keys: string) => `metadata: {name: a}\nspec:\n${keys}`, (n: number) => `  k${n}: 1\n`],
    [
      'in JSON',
      (keys: string) => `{"metadata":{"name":"a"},"spec":{"z":1${keys}}}`,
      (n: number) => `,"k${n}":1`,
    ],
  ])('%s may be 50,000', (_, manifest, key) => {
    const having = (count: number) => manifest(Array.from({ length: count }, (_, n) => key(n)).join(''))
    expect(read(having(49_900)).metadata.name).toBe('a')
    expect(refusal(() => read(having(50_000)))).toEqual([
      'data has more than 50000 values: send a larger manifest through the instance’s proxy',
    ])
  })

  it('may be in 2 MiB as UTF-8, however few characters these are', () => {
    const data = `metadata: {name: a}\ndata: {t: ${'é'.repeat(1_100_000)}}`
    expect(refusal(() => read(data))).toEqual([expect.stringContaining('is larger than 2 MiB')])
  })

  it('are not what its texts contain', () => {
    const line = '  - a: [1, {2: 3}]\n'.repeat(60_000)
    const { data } = read(
      `metadata: {name: a}\ndata:\n  t: |\n${line.replaceAll('  -', '    -')}`,
    ) as unknown as {
      data: { t: string }
    }
    expect(data.t.length).toBeGreaterThan(1_000_000)
    expect(read(`metadata: {name: a}\nq: "${line.replaceAll('\n', ' ')}"`).metadata.name).toBe('a')
    expect(read(`metadata: {name: a}\nq: ${'x-y, z:z '.repeat(30_000)}`).metadata.name).toBe('a')
    expect(read(`${'# a, b: [c]\n'.repeat(60_000)}metadata: {name: a}`).metadata.name).toBe('a')
  })
})

describe('a patch', () => {
  it('is parsed from an object in JSON or YAML', () => {
    expect(patchOf('{"spec":null}')).toEqual({ spec: null })
    expect(patchOf('spec: {a: 1}')).toEqual({ spec: { a: 1 } })
    expect(refusal(() => patchOf('[]', 'patch'))).toEqual([
      'patch is not an object: send the fields to change',
    ])
  })
})

it.each([
  ['an alias', 'a: *s3cret'],
  ['a tag', 'a: !s3cret 1'],
  ['a verbatim tag', 'a: !<s3cret> 1'],
  ['a handle of tags', 'a: !s3cret!b 1'],
  ['a quoted text without an end', 'a: "s3cret'],
  ['an unknown escape', 'a: "\\s3cret"'],
  ['a key that comes twice', 's3cret: 1\ns3cret: 2'],
])('a refusal of YAML repeats nothing of it that looks like %s', (_, data) => {
  const [why = ''] = refusal(() => read(data))
  expect(why).toMatch(/^data /)
  expect(why).not.toContain('s3cret')
})
