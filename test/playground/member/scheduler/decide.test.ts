import { describe, expect, it } from 'vitest'
import { decide } from '../../../../playground/member/scheduler/decide.js'
import type { Node, Pod, PodSpec } from '../../../../playground/objects/core.js'
import { worldOf } from '../controllers/world.js'

const node = (name: string, more: Partial<Node['spec']> = {}, labels: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec: more,
  status: { allocatable: { cpu: '2', memory: '4Gi', pods: '3' } },
})
const pod = (name: string, spec: PodSpec = {}, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'a', name, labels },
  spec,
})
const asking = (requests: Record<string, string>): PodSpec => ({
  containers: [{ name: 'c', resources: { requests } }],
})
const on = (nodeName: string, one: Pod, phase = 'Running'): Pod => ({
  ...one,
  spec: { ...one.spec, nodeName },
  status: { phase },
})

const decided = (one: Pod, nodes: readonly Node[], pods: readonly Pod[] = []) => {
  const decision = decide(one, worldOf(0, { nodes, pods }))
  return 'node' in decision ? decision.node : decision.unschedulable
}
const VICTIMS = 'No preemption victims found for incoming pod'
const NOT_HELPFUL = 'Preemption is not helpful for scheduling'

describe('the scheduler', () => {
  it('chooses the node with the fewest pods', () => {
    expect(decided(pod('p'), [node('n1'), node('n2')], [on('n1', pod('q'))])).toBe('n2')
  })

  it('does not count finished pods', () => {
    const ended = ['q', 'r', 's'].map(name => on('n1', pod(name), 'Succeeded'))
    expect(decided(pod('p', asking({ cpu: '2' })), [node('n1')], ended)).toBe('n1')
  })

  it('reports each reason with its number of nodes', () => {
    const nodes = [node('n1'), node('n2', { unschedulable: true }), node('n3')]
    const full = ['q', 'r', 's'].map(name => on('n3', pod(name)))
    expect(decided(pod('p', asking({ cpu: '3' })), nodes, full)).toBe(
      '0/3 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 2 Insufficient cpu. ' +
        `preemption: 0/3 nodes are available: 1 ${NOT_HELPFUL}, 2 ${VICTIMS}.`,
    )
  })

  it('reports when there is no node', () => {
    expect(decided(pod('p'), [])).toBe('no nodes available to schedule pods')
  })

  it.each<[string, PodSpec, boolean]>([
    ['none', {}, false],
    ['its key and value', { tolerations: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }, true],
    ['another value', { tolerations: [{ key: 'k', value: 'w' }] }, false],
    ['its key, whatever value', { tolerations: [{ key: 'k', operator: 'Exists' }] }, true],
    ['everything', { tolerations: [{ operator: 'Exists' }] }, true],
    ['another effect', { tolerations: [{ key: 'k', value: 'v', effect: 'NoExecute' }] }, false],
  ])('decides whether a pod that tolerates %s fits on a tainted node: %o', (_, spec, fits) => {
    const tainted = node('n1', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] })
    expect(decided(pod('p', spec), [tainted]) === 'n1').toBe(fits)
  })

  it('ignores PreferNoSchedule taints as a filter', () => {
    const tainted = node('n1', { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] })
    expect(decided(pod('p'), [tainted])).toBe('n1')
  })

  it.each([
    ['In', ['ssd'], true],
    ['In', ['hdd'], false],
    ['NotIn', ['ssd'], false],
    ['Exists', [], true],
    ['DoesNotExist', [], false],
    ['Gt', ['1'], false],
  ])('evaluates a node affinity: disk %s %j', (operator, values, fits) => {
    const terms = [{ matchExpressions: [{ key: 'disk', operator, values }] }]
    const spec = {
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      },
    }
    expect(decided(pod('p', spec), [node('n1', {}, { disk: 'ssd' })]) === 'n1').toBe(fits)
  })

  it('applies anti-affinity of either pod', () => {
    const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' }
    const apart = {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    }
    const shy = on('n1', pod('q', apart, { app: 'web' }))
    expect(decided(pod('p', apart, { app: 'web' }), [node('n1')], [shy])).toContain(
      "1 node(s) didn't match pod anti-affinity rules",
    )
    expect(decided(pod('p', {}, { app: 'web' }), [node('n1')], [shy])).toContain(
      "1 node(s) didn't satisfy existing pods anti-affinity rules",
    )
    expect(decided(pod('p', apart, { app: 'web' }), [node('n1'), node('n2')], [shy])).toBe('n2')
  })

  it('applies affinity; the first pod of its kind may go anywhere', () => {
    const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'zone' }
    const together = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
    const nodes = [node('n1', {}, { zone: 'a' }), node('n2', {}, { zone: 'b' })]
    const first = on('n2', pod('q', {}, { app: 'web' }))
    expect(decided(pod('p', together, { app: 'web' }), nodes)).toBe('n1')
    expect(decided(pod('p', together, { app: 'web' }), nodes, [first])).toBe('n2')
    expect(decided(pod('p', together), nodes)).toContain("2 node(s) didn't match pod affinity rules")
  })

  it('gives a host port to one pod only', () => {
    const spec = { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] }
    expect(decided(pod('p', spec), [node('n1')], [on('n1', pod('q', spec))])).toContain(
      "1 node(s) didn't have free ports for the requested pod ports",
    )
  })
})
