import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { APPLIED_PLACEMENT } from '../../../../karmada/objects/resource-binding.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import {
  RehearsedTemplate_Outcome as Outcome,
  RehearseTaintsRequestSchema,
} from '../../../../proto/gen/kairship/placement_pb.js'
import { TaintEffect } from '../../../../proto/gen/kairship/types_pb.js'
import { member } from '../../../karmada/explain/world.js'
import { recordingObjects } from '../recording-objects.js'
import { NO_OWN_READS } from './own-reads.js'

const call = {
  ...{ signal: new AbortController().signal, answered: () => undefined, caller: { user: 'ada' } },
} as unknown as Call

/** A Deployment of one replica of 1 CPU in `north`, which may go anywhere. */
const binding = (
  name: string,
  { placement = {}, priority = 0 }: { placement?: object; priority?: number } = {},
) => {
  const whole = {
    replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
    ...placement,
  }
  return {
    metadata: {
      name: `${name}-deployment`,
      namespace: 'shop',
      annotations: { [APPLIED_PLACEMENT]: JSON.stringify(whole) },
    },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name },
      replicas: 1,
      replicaRequirements: { resourceRequest: { cpu: '1' } },
      clusters: [{ name: 'north', replicas: 1 }],
      placement: whole,
      schedulePriority: { priority },
    },
  }
}

async function rehearsed({
  bindings,
  taints = [{ cluster: 'north', taint: { key: 'fire', effect: TaintEffect.NoExecute } }],
  room = '10',
  denied = [],
}: {
  bindings: readonly object[]
  taints?: readonly object[]
  room?: string
  denied?: readonly string[]
}) {
  const { objects, writes } = recordingObjects(() => undefined, {
    clusters: [member('north'), member('south', { cpu: room })],
    resourcebindings: bindings,
  })
  const list: Objects['list'] = async (of, place, wanted, query) => {
    if (denied.includes(wanted.resource))
      throw new StatusError({ ...bareStatus(403, `no ${wanted.resource} for you`), reason: 'Forbidden' })
    return objects.list(of, place, wanted, query)
  }
  const handlers = placementHandlers({ ...objects, list }, NO_OWN_READS)
  const request = create(RehearseTaintsRequestSchema, { instance: 'i', taints: taints as never })
  const answer = await handlers.rehearseTaints(request, call)
  expect(writes()).toEqual([])
  return answer
}
const named = (answer: Awaited<ReturnType<typeof rehearsed>>) =>
  answer.templates?.map(({ template, outcome }) => [template?.name, outcome])

describe('a rehearsal over the API', () => {
  it('lists what finds no place first, and gives the room there is to templates of higher priority', async () => {
    const bindings = [binding('a'), binding('b'), binding('c', { priority: 9 })]
    const answer = await rehearsed({ bindings, room: '2' })
    expect(named(answer)).toEqual([
      ['b', Outcome.NOWHERE],
      ['c', Outcome.MOVES],
      ['a', Outcome.MOVES],
    ])
    expect(answer).toMatchObject({ total: 3, moving: 2, shrinking: 0, nowhere: 1, staying: 0 })
    const [worst, moved] = answer.templates ?? []
    expect(worst?.placement?.clusters).toHaveLength(2)
    expect(moved?.placement?.clusters).toMatchObject([
      { cluster: 'north', before: 1 },
      { cluster: 'south', after: 1 },
    ])
  })

  it('counts what stays because it tolerates the taint, and leaves out what runs elsewhere', async () => {
    const tolerant = binding('a', { placement: { clusterTolerations: [{ operator: 'Exists' }] } })
    const { spec, ...elsewhere } = binding('b')
    const answer = await rehearsed({
      bindings: [tolerant, { ...elsewhere, spec: { ...spec, clusters: [{ name: 'south', replicas: 1 }] } }],
    })
    expect(answer).toMatchObject({ total: 0, staying: 1, templates: [] })
  })

  it('says what it assumes of the control plane', async () => {
    const { assumptions } = await rehearsed({ bindings: [binding('a')] })
    expect(assumptions?.[0]).toContain('--enable-no-execute-taint-eviction')
  })

  it.each<[string, readonly object[], string]>([
    ['no taint', [], 'taints: has 0 taints'],
    [
      'a cluster that is not joined',
      [{ cluster: 'west', taint: { key: 'fire', effect: TaintEffect.NoExecute } }],
      'taints[0].cluster: no cluster "west" is joined',
    ],
    ['a taint without effect', [{ cluster: 'north', taint: { key: 'fire' } }], 'taints[0].taint.effect'],
    [
      'an effect that Karmada refuses of a cluster',
      [{ cluster: 'north', taint: { key: 'fire', effect: TaintEffect.PreferNoSchedule } }],
      'taints[0].taint.effect: must be NoSchedule or NoExecute',
    ],
    [
      'a key that no taint may have',
      [{ cluster: 'north', taint: { key: 'a b', effect: TaintEffect.NoExecute } }],
      'taints[0].taint.key',
    ],
  ])('refuses %s, and names the field', async (_, taints, message) => {
    await expect(rehearsed({ bindings: [], taints })).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining(message),
    })
  })

  it.each(['clusters', 'resourcebindings'])(
    'is refused to a caller who may not list %s: it would say that nothing leaves, or that nothing fits',
    async denied => {
      await expect(rehearsed({ bindings: [binding('a')], denied: [denied] })).rejects.toMatchObject({
        code: 7,
        message: `no ${denied} for you`,
      })
    },
  )

  it('goes without templates that have no namespace where the caller may not list their bindings, and says so', async () => {
    const answer = await rehearsed({ bindings: [binding('a')], denied: ['clusterresourcebindings'] })
    expect(answer).toMatchObject({ total: 1, unread: ['no clusterresourcebindings for you'] })
  })
})
