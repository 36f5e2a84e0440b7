import { describe, expect, it } from 'vitest'
import { planNode, planPodOnNode } from '../../../../playground/member/controllers/node-lifecycle.js'
import type { Node, NodeTaint, Pod, PodToleration } from '../../../../playground/objects/core.js'
import { worldOf } from './world.js'

const NOW = Date.parse('2026-01-01T00:10:00Z')
const SINCE = '2026-01-01T00:10:00Z'

const node = (ready: 'True' | 'False' | 'Unknown' | undefined, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec,
  status: ready ? { conditions: [{ type: 'Ready', status: ready }] } : {},
})

const taint = (key: string, effect: string, timeAdded = SINCE): NodeTaint => ({
  key: `node.kubernetes.io/${key}`,
  effect,
  timeAdded,
})

/** The taints that a node gets; undefined where it is left alone. */
function taintsOf(one: Node): readonly NodeTaint[] | undefined {
  const [change] = planNode(one, worldOf(NOW)).changes ?? []
  return change && 'update' in change ? ((change.object as Node).spec?.taints ?? []) : undefined
}

describe('a node', () => {
  const own: NodeTaint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }
  it.each<[string, Node, readonly NodeTaint[] | undefined]>([
    ['that is ready is left alone', node('True', { taints: [own] }), undefined],
    ['that has not reported yet is left alone', node(undefined), undefined],
    [
      'that is not ready gets the taints for it, beside its own',
      node('False', { taints: [own] }),
      [own, taint('not-ready', 'NoSchedule'), taint('not-ready', 'NoExecute')],
    ],
    [
      'whose kubelet is away gets other taints',
      node('Unknown'),
      [taint('unreachable', 'NoSchedule'), taint('unreachable', 'NoExecute')],
    ],
    [
      'keeps the time of taints that it has',
      node('False', {
        taints: [taint('not-ready', 'NoSchedule', 'before'), taint('not-ready', 'NoExecute', 'before')],
      }),
      undefined,
    ],
    [
      'that is ready again loses them, and keeps its own',
      node('True', { taints: [taint('not-ready', 'NoExecute'), own, taint('unreachable', 'NoSchedule')] }),
      [own],
    ],
    [
      'that is cordoned gets a taint',
      node('True', { unschedulable: true }),
      [taint('unschedulable', 'NoSchedule')],
    ],
    ['that is uncordoned loses it', node('True', { taints: [taint('unschedulable', 'NoSchedule')] }), []],
  ])('%s', (_, one, taints) => {
    expect(taintsOf(one)).toEqual(taints)
  })
})

const pod = (tolerations: readonly PodToleration[] = [], metadata: object = {}): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'p', ...metadata },
    spec: { nodeName: 'n', tolerations },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }) as Pod

const planOf = (one: Pod, taints: readonly NodeTaint[], ready: 'True' | 'Unknown' = 'Unknown') =>
  planPodOnNode(one, worldOf(NOW, { nodes: [node(ready, { taints })] }))

const tolerates = (key: string, more: object = {}): PodToleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  ...more,
})

describe('a pod on a node that does not answer', () => {
  const taints = (seconds: number) => [
    taint('unreachable', 'NoExecute', new Date(NOW - seconds * 1_000).toISOString()),
  ]
  const DELETED = 'deleted'
  it.each<[string, readonly PodToleration[], readonly NodeTaint[], number | typeof DELETED | undefined]>([
    ['stays for five minutes', [], taints(60), 240_000],
    ['is deleted after five minutes', [], taints(300), DELETED],
    [
      'stays as long as it tolerates',
      [tolerates('unreachable', { tolerationSeconds: 90 })],
      taints(60),
      30_000,
    ],
    ['is deleted after that', [tolerates('unreachable', { tolerationSeconds: 60 })], taints(60), DELETED],
    ['stays for ever if it tolerates that', [tolerates('unreachable')], taints(9_000), undefined],
    [
      'is deleted at once for a taint of its own that it does not tolerate',
      [],
      [{ key: 'maintenance', effect: 'NoExecute', timeAdded: SINCE }],
      DELETED,
    ],
    ['is not deleted for a taint of another effect', [], [taint('unreachable', 'NoSchedule')], undefined],
  ])('%s', (_, tolerations, given, expected) => {
    const { changes, again } = planOf(pod(tolerations), given)
    expect(changes?.some(one => 'remove' in one) ? DELETED : again).toBe(expected)
  })

  it('is no longer ready, and says why', () => {
    const { status, notes } = planOf(pod(), [])
    expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'False' }] })
    expect(notes).toContainEqual({ type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' })
  })

  it('that is deleted already is not deleted again', () => {
    const { changes } = planOf(pod([], { deletionTimestamp: SINCE }), taints(900))
    expect(changes).toBeUndefined()
  })
})

it('leaves pods on a ready node alone', () => {
  expect(planOf(pod(), [], 'True')).toEqual({ notes: [] })
})
