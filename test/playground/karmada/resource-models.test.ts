import { describe, expect, it } from 'vitest'
import {
  allocatableModelings,
  defaultResourceModels,
  resourceModelsComplaint,
  standardizeResourceModels,
} from '../../../playground/karmada/resource-models.js'

const node = (cpu: string, memory: string, pods = '110') => ({ allocatable: { cpu, memory, pods } })
const counts = (nodes: Parameters<typeof allocatableModelings>[1]) =>
  Object.fromEntries(
    allocatableModelings(defaultResourceModels, nodes)
      .filter(({ count }) => count > 0)
      .map(({ grade, count }) => [grade, count]),
  )

describe('resource models', () => {
  it('have nine grades without gaps unless a cluster has its own', () => {
    expect(defaultResourceModels).toHaveLength(9)
    expect(resourceModelsComplaint(defaultResourceModels)).toBeUndefined()
    expect(defaultResourceModels[8]?.ranges).toEqual([
      { name: 'cpu', min: '128', max: '9223372036854775807' },
      { name: 'memory', min: '1Ti', max: '9223372036854775807' },
    ])
  })

  it('grade a node by its scarcest resource', () => {
    expect(counts([node('4', '16Gi'), node('64', '4Gi'), node('500m', '1Ti')])).toEqual({ 2: 1, 1: 1, 0: 1 })
  })

  it('count the free resources of nodes, not their totals', () => {
    const taken = { cpu: '3500m', memory: '1Gi', pods: '3' }
    expect(counts([{ ...node('4', '16Gi'), taken }])).toEqual({ 0: 1 })
  })

  it('stop counting at a node without pod slots, as Karmada does', () => {
    const full = { ...node('4', '16Gi', '3'), taken: { pods: '3' } }
    expect(counts([node('4', '16Gi'), full, node('4', '16Gi')])).toEqual({ 2: 1 })
  })

  it('are sorted, start at zero and end at infinity before validation', () => {
    const models = standardizeResourceModels([
      { grade: 1, ranges: [{ name: 'cpu', min: '2', max: '4' }] },
      { grade: 0, ranges: [{ name: 'cpu', min: '1', max: '2' }] },
    ])
    expect(models.map(({ grade }) => grade)).toEqual([0, 1])
    expect(resourceModelsComplaint(models)).toBeUndefined()
  })

  it.each([
    [
      'a gap',
      [
        { min: '0', max: '1' },
        { min: '2', max: 'max' },
      ],
      'contiguous',
    ],
    [
      'an overlap',
      [
        { min: '0', max: '3' },
        { min: '2', max: 'max' },
      ],
      'contiguous',
    ],
    ['a range upside down', [{ min: '0', max: '0' }], 'greater than the min'],
    ['a first grade above zero', [{ min: '1', max: 'max' }], 'should be 0'],
    ['a last grade that ends', [{ min: '0', max: '5' }], 'MaxInt64'],
  ])('with %s are refused', (_what, ranges, complaint) => {
    const models = ranges.map(({ min, max }, grade) => ({
      grade,
      ranges: [{ name: 'cpu', min, max: max === 'max' ? '9223372036854775807' : max }],
    }))
    expect(resourceModelsComplaint(models)).toContain(complaint)
  })
})
