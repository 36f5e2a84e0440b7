import { describe, expect, it } from 'vitest'
import { changeLines } from '../../../console/policies/change-lines.js'

const before = JSON.stringify({
  metadata: { labels: { 'app.kubernetes.io/name': 'web' } },
  spec: { replicas: 2, containers: [{ image: 'web:1' }] },
})

describe('the readable line of a change of a manifest', () => {
  it.each([
    ['replace', '/spec/replicas', '5', '~ spec.replicas: 2 → 5'],
    ['replace', '/spec/containers/0/image', '"web:2"', '~ spec.containers.0.image: "web:1" → "web:2"'],
    ['add', '/metadata/annotations', '{"a":"b"}', '+ metadata.annotations: {"a":"b"}'],
    [
      'remove',
      '/metadata/labels/app.kubernetes.io~1name',
      '',
      '- metadata.labels.app.kubernetes.io/name: "web"',
    ],
    ['replace', '/constructor/name', '1', '~ constructor.name:  → 1'],
  ])('shows %s of %s', (op, path, value, line) => {
    expect(changeLines({ before, patch: [{ op, path, value }] })).toEqual([line])
  })

  it('is absent where a cluster gets its first manifest', () => {
    expect(changeLines({ before: '', patch: [] })).toEqual([])
  })

  it('has no line for Karmada’s lists of the labels and annotations that it manages', () => {
    const list = (name: string) => ({
      op: 'replace',
      path: `/metadata/annotations/resourcetemplate.karmada.io~1${name}`,
      value: '"a,b"',
    })
    const label = { op: 'add', path: '/metadata/labels/b', value: '"1"' }
    const patch = [list('managed-annotations'), list('managed-labels'), label]
    expect(changeLines({ before, patch })).toEqual(['+ metadata.labels.b: "1"'])
  })

  it('cuts long values', () => {
    const value = JSON.stringify('x'.repeat(1_000))
    const [line = ''] = changeLines({ before, patch: [{ op: 'add', path: '/spec/x', value }] })
    expect(line.length).toBeLessThan(120)
  })
})
