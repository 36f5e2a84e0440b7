import { describe, expect, it } from 'vitest'
import {
  FieldSelectorError,
  parseFieldPath,
} from '../../../playground/container-management/query/field-path.js'
import { parseEnhancedFieldSelector } from '../../../playground/container-management/query/field-selector.js'

const object = {
  metadata: { name: 'web', annotations: { 'a.b/c': 'x' }, labels: { app: 'in' } },
  spec: { replicas: 3, paused: false, template: { spec: { nodeSelector: null } } },
}
const json = Buffer.from(JSON.stringify(object))
const matches = (selector: string) => parseEnhancedFieldSelector(selector).matches(json)

describe('an enhanced field selector', () => {
  it.each([
    ['', true],
    ['metadata.name=web', true],
    ['.metadata.name==web', true],
    ['metadata.name!=web', false],
    ['metadata.name=other', false],
    ['spec.replicas=3', true],
    ['spec.replicas>2', true],
    ['spec.replicas<3', false],
    ['spec.paused=false', true],
    ["metadata.annotations['a.b/c'] in (x,y)", true],
    ['metadata.annotations["a.b/c"] notin (x,y)', false],
    ['metadata.labels.app in (in)', true],
    ['spec.missing', false],
    ['!spec.missing', true],
    ['spec.missing!=1', true],
    ['spec.missing notin (1)', true],
    ['spec.template.spec.nodeSelector', false],
    ['spec.replicas=3,metadata.name=web', true],
    ['spec.replicas=3,metadata.name=nope', false],
    ['metadata.name in ()', false],
    ['spec.template={"spec":{"nodeSelector":null}}', true],
  ])('%s evaluates to %s', (selector, expected) => expect(matches(selector)).toBe(expected))

  it('caches a parsed object, and parses a new version again', () => {
    const { matches: match } = parseEnhancedFieldSelector('spec.replicas=3')
    const next = Buffer.from(JSON.stringify({ ...object, spec: { replicas: 4 } }))
    expect([match(json), match(next), match(json), match(next)]).toEqual([true, false, true, false])
  })

  it.each([
    'metadata.name=',
    'a,',
    'a b',
    'a in x',
    'a in (b',
    'a>b',
    '=b',
    'a==',
    'a in (b c)',
    "metadata['x",
    'metadata..',
    'a.b[x]=1',
    '[0]',
  ])('%j is parsed as Kubernetes parses it or refused with a reason', selector => {
    let complaint = ''
    try {
      parseEnhancedFieldSelector(selector)
    } catch (error) {
      expect(error).toBeInstanceOf(FieldSelectorError)
      complaint = (error as Error).message
    }
    const acceptable = ['metadata.name=', 'a==']
    expect(complaint === '').toBe(acceptable.includes(selector))
  })

  it('refuses list fields, which Clusterpedia parses and then refuses too', () => {
    expect(() => parseEnhancedFieldSelector('spec.containers[0].name=a')).toThrow('Not Support list field')
    expect(() => parseFieldPath('spec.ports[]')).toThrow('last field could not be list')
  })
})
