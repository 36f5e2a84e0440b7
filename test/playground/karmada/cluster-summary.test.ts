import { describe, expect, it } from 'vitest'
import { nodeSummary, resourceSummary } from '../../../playground/karmada/cluster-summary.js'
import type { Node, Pod, PodSpec } from '../../../playground/objects/core.js'

const node = (name: string, ready: boolean, allocatable: Record<string, string>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { allocatable, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const pod = (spec: PodSpec, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x' },
  spec,
  status: { phase },
})
const container = (requests: Record<string, string>) => ({ name: 'c', resources: { requests } })

describe('the resource summary of a member', () => {
  it('counts nodes and omits zeros', () => {
    expect(nodeSummary([node('a', true, {}), node('b', false, {})])).toEqual({ totalNum: 2, readyNum: 1 })
    expect(nodeSummary([node('b', false, {})])).toEqual({ totalNum: 1 })
    expect(nodeSummary([])).toEqual({})
  })

  it('sums allocatable over all nodes, ready or not, without rounding', () => {
    const nodes = [
      node('a', true, { cpu: '3920m', memory: '16268424Ki', pods: '110' }),
      node('b', false, { cpu: '1930m', memory: '7835588Ki', pods: '110' }),
    ]
    expect(resourceSummary(nodes, []).allocatable).toEqual({
      cpu: '5850m',
      memory: '24104012Ki',
      pods: '220',
    })
  })

  it('distinguishes pods that wait for a node from scheduled pods, and ignores finished ones', () => {
    const request = [container({ cpu: '250m', memory: '64Mi' })]
    const { allocating, allocated } = resourceSummary(
      [],
      [
        pod({ containers: request }, 'Pending'),
        pod({ nodeName: 'a', containers: request }),
        pod({ nodeName: 'a', containers: request }, 'Succeeded'),
        pod({ nodeName: 'a', containers: request }, 'Failed'),
      ],
    )
    expect(allocating).toEqual({ cpu: '250m', memory: '64Mi', pods: '1' })
    expect(allocated).toEqual({ cpu: '250m', memory: '64Mi', pods: '1' })
  })

  it('omits empty sums', () => {
    expect(resourceSummary([], [])).toEqual({})
  })
})
