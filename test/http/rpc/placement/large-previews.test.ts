import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { Objects } from '../../../../http/objects/objects.js'
import { placementHandlers } from '../../../../http/rpc/placement/handlers.js'
import { deferred } from '../../fakes/deferred.js'
import { recordingObjects } from '../recording-objects.js'
import { NO_OWN_READS } from './own-reads.js'

const type: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
}
const CLUSTERS = Array.from({ length: 20 }, (_, at) => `m${at}`)
const TEMPLATES = 10
const callOf = (user: string, signal = new AbortController().signal) =>
  ({ signal, answered: () => undefined, caller: { user } }) as unknown as Call

/** A control plane with ConfigMaps in clusters, and what was requested of it. */
function world(clusters = CLUSTERS, templates = TEMPLATES, text = 'a: b') {
  const { objects, recorded } = recordingObjects(
    (id, { kind }) =>
      kind === 'ResourceBinding'
        ? {
            spec: {
              resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: id },
              clusters: clusters.map(name => ({ name })),
            },
          }
        : undefined,
    {
      configmaps: Array.from({ length: templates }, (_, at) => ({
        ...{ metadata: { namespace: 'shop', name: `c${at}` }, data: { text } },
      })),
      clusters: clusters.map(name => ({ metadata: { name }, spec: { syncMode: 'Push' } })),
    },
  )
  return { objects: { ...objects, typeOf: async () => type } satisfies Objects, recorded }
}

const overriding = (overriders: object) => ({
  instance: 'i',
  data: JSON.stringify({
    apiVersion: 'policy.karmada.io/v1alpha1',
    ...{ kind: 'OverridePolicy', metadata: { name: 'p', namespace: 'shop' } },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      overrideRules: [{ overriders }],
    },
  }),
})
const set = (value: string) => ({ plaintext: [{ path: '/data/x', operator: 'add', value }] })

describe('a preview', () => {
  const preview = async (request: object, call = callOf('ada'), { objects } = world()) =>
    placementHandlers(objects, NO_OWN_READS).previewPolicy(request as never, call)

  it('of a policy that is larger than people write is refused before anything is read', async () => {
    const it = world()
    await expect(preview(overriding(set('x'.repeat(128 << 10))), callOf('ada'), it)).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining('a policy of 131072 at most is previewed'),
    })
    expect(it.recorded).toEqual([])
  })

  it('leaves out the templates whose manifests do not fit, and says how many', async () => {
    const { templates = [], total, unread } = await preview(overriding(set('x'.repeat(120 << 10))))
    // 20 clusters with 120 KiB each, of which six fit into 16 MiB.
    expect([templates.length, total, unread]).toEqual([
      6,
      TEMPLATES,
      ['4 templates are left out: the manifests of all are more than 16 MiB. Select fewer'],
    ])
  })

  it('has the clusters of each manifest in their order', async () => {
    const { templates = [] } = await preview(overriding(set('x')))
    expect(templates).toHaveLength(TEMPLATES)
    for (const { manifests = [] } of templates)
      expect(manifests.map(({ cluster }) => cluster)).toEqual([...CLUSTERS].sort())
  })

  it('says of overrides that take too long that they are not tried, for each cluster', async () => {
    const small = world(['m0', 'm1'], 1, `a: ${'x'.repeat(110_000)}`)
    const yaml = [{ subPath: '/b', operator: 'add', value: 'c' }]
    const long = { fieldOverrider: [{ fieldPath: '/data/text', yaml }] }
    const { templates = [] } = await preview(overriding(long), callOf('ada'), small)
    const problem = 'its override policies are too large to be tried here: Karmada may apply them'
    expect(templates[0]?.manifests).toMatchObject([
      { cluster: 'm0', problem },
      { cluster: 'm1', problem },
    ])
  })

  it('ends with its call, between two manifests', async () => {
    const gone = new AbortController()
    const { objects } = world()
    const list: Objects['list'] = async (...asked) => {
      const found = await objects.list(...asked)
      if (asked[2].resource === 'overridepolicies') gone.abort(new Error('hung up'))
      return found as never
    }
    await expect(
      preview(overriding(set('x')), callOf('ada', gone.signal), {
        ...world(),
        objects: { ...objects, list },
      }),
    ).rejects.toThrow('hung up')
  })

  it('is refused to a caller who has two under way, and not to another one', async () => {
    const { objects } = world()
    const slow = deferred<void>()
    const list: Objects['list'] = async (...asked) => {
      await slow.promise
      return objects.list(...asked) as never
    }
    const { previewPolicy } = placementHandlers({ ...objects, list }, NO_OWN_READS)
    const request = overriding(set('x')) as never
    const asked = async (user: string) => previewPolicy(request, callOf(user))
    const underWay = [asked('ada'), asked('ada'), asked('bob')]
    await expect(asked('ada')).rejects.toMatchObject({ code: 8 })
    slow.resolve()
    const answers = await Promise.all(underWay)
    expect(answers.map(({ total }) => total)).toEqual([TEMPLATES, TEMPLATES, TEMPLATES])
    expect((await asked('ada')).total).toBe(TEMPLATES)
  })
})
