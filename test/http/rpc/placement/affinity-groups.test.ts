import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { claimed } from '../../../../karmada/matching/claim.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { recordingObjects } from '../recording-objects.js'
import { NO_OWN_READS } from './own-reads.js'

const call = {
  ...{ signal: new AbortController().signal, answered: () => undefined, caller: { user: 'ada' } },
} as unknown as Call
const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const key = { namespace: 'shop', name: 'settings' }
const resource = { apiVersion: 'v1', kind: 'ConfigMap', ...key }
const placement = { workloadAffinity: { antiAffinity: { groupByLabelKey: 'team' } } }
const group = { antiAffinityGroup: 'team=shop' }

const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: {
    name: 'p',
    namespace: 'shop',
    labels: { 'propagationpolicy.karmada.io/permanent-id': 'id' },
  },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], placement },
}
const template = claimed({ ...resource, metadata: { ...key, labels: { team: 'shop' } } }, policy)

const cluster = (name: string) => ({
  metadata: { name },
  spec: { syncMode: 'Push' },
  status: {
    apiEnablements: [{ groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] }],
  },
})

/** Two clusters, of which `eu` has another template of the group. @param denied resources that the caller may not list */
function handlersOf(denied?: string, isGrouped = true) {
  const failed = {
    conditions: [{ type: 'Scheduled', status: 'False', reason: 'NoClusterFit', message: 'none fits.' }],
  }
  const { objects, recorded } = recordingObjects(
    (_id, { kind }) =>
      kind === 'ResourceBinding'
        ? {
            metadata: { namespace: 'shop', name: 'settings-configmap', labels: {} },
            spec: { resource, placement, ...(isGrouped && { workloadAffinityGroups: group }) },
            status: failed,
          }
        : template,
    {
      configmaps: [template],
      propagationpolicies: [policy],
      clusters: [cluster('eu'), cluster('us')],
      resourcebindings: [
        {
          metadata: { namespace: 'shop', name: 'other-configmap' },
          spec: { resource, clusters: [{ name: 'eu' }], workloadAffinityGroups: group },
        },
      ],
    },
  )
  const list: Objects['list'] = async (of, place, wanted, query) => {
    if (wanted.resource === denied)
      throw new StatusError({ ...bareStatus(403, `no ${wanted.resource} for you`), reason: 'Forbidden' })
    return objects.list(of, place, wanted, query)
  }
  const handlers = placementHandlers({ ...objects, list, typeOf: async () => type }, NO_OWN_READS)
  return { handlers, recorded }
}

const REFUSED = {
  filter: 'WorkloadAntiAffinity',
  reason: 'cluster already has workload with the same anti-affinity group',
}
const request = { instance: 'i', ...resource } as never

describe('an explanation of a template of an affinity group', () => {
  it('names the clusters that are refused for other templates of its group', async () => {
    const { placement } = await handlersOf().handlers.explainPlacement(request, call)
    expect(placement?.clusters).toMatchObject([
      { cluster: 'eu', refusals: [REFUSED] },
      { cluster: 'us', refusals: [] },
    ])
  })

  it('is refused to a caller who may not list bindings: without them no cluster would be refused', async () => {
    const { handlers } = handlersOf('resourcebindings')
    await expect(async () => handlers.explainPlacement(request, call)).rejects.toMatchObject({
      code: 7,
      message: 'no resourcebindings for you',
    })
  })

  it('lists no bindings where the template has no group', async () => {
    const { handlers, recorded } = handlersOf('resourcebindings', false)
    await handlers.explainPlacement(request, call)
    expect(
      recorded.filter(({ verb, resource }) => verb === 'list' && resource === 'resourcebindings'),
    ).toEqual([])
  })
})

describe('a preview of a policy with affinity groups', () => {
  const preview = { instance: 'i', data: JSON.stringify(policy) } as never

  it('leaves out the clusters of other templates of the group', async () => {
    const { templates = [] } = await handlersOf().handlers.previewPolicy(preview, call)
    expect(templates[0]?.placement?.clusters).toMatchObject([
      { cluster: 'eu', refusals: [REFUSED] },
      { cluster: 'us', refusals: [], after: 0 },
    ])
  })

  it('is refused to a caller who may not list bindings', async () => {
    const { handlers } = handlersOf('resourcebindings')
    await expect(async () => handlers.previewPolicy(preview, call)).rejects.toMatchObject({
      code: 7,
      message: 'no resourcebindings for you',
    })
  })
})

it('a trace says how many clusters are refused for other templates of the group', async () => {
  const { links = [] } = await handlersOf().handlers.tracePropagation(request, call)
  const scheduling = links.find(({ reason }) => reason === 'NoClusterFit')
  expect(scheduling?.message).toBe('none fits. Now WorkloadAntiAffinity refuses 1 of 2 clusters.')
})
