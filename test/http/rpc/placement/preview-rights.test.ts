import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { Objects } from '../../../../http/objects/objects.js'
import type { OwnReads } from '../../../../http/objects/requests/own-requests.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { workName } from '../../../../karmada/names.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { recordingObjects } from '../recording-objects.js'

/** What a ClusterOverridePolicy has put into the manifest of cluster `m`, and the template has not. */
const OF_THE_PLATFORM = 'set by the platform'
const call = {
  ...{ signal: new AbortController().signal, answered: () => undefined, caller: { user: 'ada' } },
} as unknown as Call
const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const key = { namespace: 'shop', name: 'settings' }
const resource = { apiVersion: 'v1', kind: 'ConfigMap', ...key }

const policy = (kind: string, spec: object) =>
  JSON.stringify({
    apiVersion: 'policy.karmada.io/v1alpha1',
    ...{ kind, metadata: { name: 'p', namespace: 'shop' } },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], ...spec },
  })
const PROPAGATION = policy('PropagationPolicy', { placement: { clusterAffinity: { clusterNames: ['m'] } } })
const OVERRIDE = policy('OverridePolicy', {
  overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { a: 'b' } }] } }],
})

/** The preview for a caller to whom these lists are denied, and the paths that Kairship read for it under its own credential. */
async function previewed(data: string, ...denied: readonly string[]) {
  const paths: string[] = []
  const ownReads: OwnReads = {
    async get<T>(_call: unknown, _instance: string, { path }: { readonly path: string }) {
      // How templates are interpreted is no secret of a namespace.
      if (path.startsWith('/apis/config.karmada.io/')) return {} as T
      paths.push(path)
      const metadata = { namespace: 'karmada-es-m', name: workName('ConfigMap', 'settings', 'shop') }
      const manifest = { ...resource, metadata: key, data: { x: OF_THE_PLATFORM } }
      return { metadata, spec: { workload: { manifests: [manifest] } } } as T
    },
  }
  const { objects } = recordingObjects(
    (_id, { kind }) =>
      kind === 'ResourceBinding' ? { spec: { resource, clusters: [{ name: 'm' }] } } : undefined,
    {
      configmaps: [{ metadata: key, data: {} }],
      clusters: [{ metadata: { name: 'm' }, spec: { syncMode: 'Push' } }],
    },
  )
  const list: Objects['list'] = async (of, place, wanted, query) => {
    if (denied.includes(wanted.resource))
      throw new StatusError({ ...bareStatus(403, `no ${wanted.resource} for you`), reason: 'Forbidden' })
    return objects.list(of, place, wanted, query)
  }
  const handlers = placementHandlers({ ...objects, list, typeOf: async () => type }, ownReads)
  const answer = await (async () => handlers.previewPolicy({ instance: 'i', data } as never, call))().catch(
    (error: unknown) => ({ error }),
  )
  return { answer, text: JSON.stringify(answer), paths }
}

/** PERMISSION_DENIED, whose reason is Forbidden. */
const refusal = (message: string) => ({ error: expect.objectContaining({ code: 7, message, details: {} }) })

describe('a preview for a caller who may read all that decides', () => {
  it('shows the manifest that a cluster has now', async () => {
    expect((await previewed(PROPAGATION)).text).toContain(OF_THE_PLATFORM)
    expect((await previewed(OVERRIDE)).text).toContain(OF_THE_PLATFORM)
  })
})

describe('a preview for a caller who may not list clusters', () => {
  it.each([
    ['propagation', PROPAGATION],
    ['override', OVERRIDE],
  ])(
    'of such a policy is refused (%s): it would say that all clusters lose the template, or that none changes',
    async (_, data) => {
      const { answer, paths } = await previewed(data, 'clusters')
      expect(answer).toEqual(refusal('no clusters for you'))
      expect(paths).toEqual([])
    },
  )
})

describe.each(['clusteroverridepolicies', 'overridepolicies'])(
  'a preview for a caller who may not list %s',
  denied => {
    it('of a propagation policy shows clusters and no manifests, which would show what those set', async () => {
      const { answer, text, paths } = await previewed(PROPAGATION, denied)
      expect(text).not.toContain(OF_THE_PLATFORM)
      expect(paths).toEqual([])
      expect(answer).toMatchObject({
        templates: [{ placement: { clusters: [{ cluster: 'm' }] }, manifests: [] }],
        unread: [
          `no ${denied} for you`,
          'manifests are left out of templates that override policies may change which you may not read',
        ],
      })
    })

    it('of an override policy, which is about manifests alone, is refused', async () => {
      const { answer, paths } = await previewed(OVERRIDE, denied)
      expect(answer).toEqual(refusal(`no ${denied} for you`))
      expect(paths).toEqual([])
    })
  },
)
