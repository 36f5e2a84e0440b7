import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectKey, ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects, Patch } from '../../../../http/objects/objects.js'
import { daemonSets } from '../../../../http/rpc/apps/daemon-set.js'
import { deployments } from '../../../../http/rpc/apps/deployment.js'
import { restart } from '../../../../http/rpc/apps/restart.js'
import { scale } from '../../../../http/rpc/apps/scale.js'
import { statefulSets } from '../../../../http/rpc/apps/stateful-set.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'

const request = { instance: 'north', namespace: 'a', name: 'x' }
const call = {} as Call

/** Objects of an instance that stores one workload, and what was patched. */
function objectsWith(spec: object) {
  const patches: { place: Place; type: string; key: ObjectKey; patch: Patch }[] = []
  const workload = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'x', namespace: 'a', generation: 2 },
    spec,
  } as KubeObject
  const missing = () => Promise.reject(new StatusError({ ...bareStatus(404, 'none'), reason: 'NotFound' }))
  const objects = {
    get: async (_: ObjectCall, place: Place, type: ObjectType, key: ObjectKey) =>
      key.name === 'x' && key.namespace === 'a' && place.instance === 'north' && type.group === 'apps'
        ? workload
        : missing(),
    patch: async (_: ObjectCall, place: Place, type: ObjectType, key: ObjectKey, patch: Patch) => {
      patches.push({ place, type: type.resource, key, patch })
      return workload
    },
    list: async () => ({ items: [], total: 0 }),
  } as unknown as Objects
  return { objects, patches }
}

describe('a restart', () => {
  it.each([
    ['deployments', deployments],
    ['statefulsets', statefulSets],
    ['daemonsets', daemonSets],
  ] as const)(
    'of %s sets the annotation of kubectl rollout restart in the pod template, and nothing else',
    async (resource, kind) => {
      const { objects, patches } = objectsWith({})
      const before = Date.now()
      await restart(objects, kind as typeof deployments, request, call)
      expect(patches).toEqual([
        {
          place: { instance: 'north' },
          type: resource,
          key: { namespace: 'a', name: 'x' },
          patch: {
            type: 'application/merge-patch+json',
            body: {
              spec: {
                template: {
                  metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } },
                },
              },
            },
          },
        },
      ])
      const at = JSON.stringify(patches).match(/"(\d{4}-[^"]+Z)"/)?.[1] ?? ''
      expect(Date.parse(at)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.now())
    },
  )

  it.each([
    ['a paused workload', { paused: true }, 'Paused', 'resume it first'],
    ['the strategy OnDelete', { updateStrategy: { type: 'OnDelete' } }, 'OnDelete', 'when they are deleted'],
  ])('of %s is refused and changes nothing', async (_, spec, reason, words) => {
    const { objects, patches } = objectsWith(spec)
    const refused = restart(objects, statefulSets, request, call)
    await expect(refused).rejects.toMatchObject({ code: 9, details: { reason } })
    await expect(refused).rejects.toThrow(`StatefulSet a/x of north`)
    await expect(refused).rejects.toThrow(words)
    expect(patches).toEqual([])
  })

  it.each([{ paused: false }, { updateStrategy: { type: 'RollingUpdate' } }, { updateStrategy: {} }])(
    'is made of a workload with %j',
    async spec => {
      const { objects, patches } = objectsWith(spec)
      await restart(objects, daemonSets, request, call)
      expect(patches).toHaveLength(1)
    },
  )

  it('of a missing workload is NOT_FOUND, and creates nothing', async () => {
    const { objects, patches } = objectsWith({})
    await expect(restart(objects, statefulSets, { ...request, name: 'y' }, call)).rejects.toThrow('none')
    expect(patches).toEqual([])
  })
})

describe('scaling', () => {
  it.each([0, 1, 5_000])('to %i sets the replicas, and nothing else', async replicas => {
    const { objects, patches } = objectsWith({})
    await scale(objects, statefulSets, { ...request, replicas }, call)
    expect(patches).toEqual([
      {
        place: { instance: 'north' },
        type: 'statefulsets',
        key: { namespace: 'a', name: 'x' },
        patch: { type: 'application/merge-patch+json', body: { spec: { replicas } } },
      },
    ])
  })

  it.each([
    [undefined, 'is required'],
    [-1, 'is -1, but must be at least 0'],
  ])('to %s replicas is refused and changes nothing', async (replicas, description) => {
    const { objects, patches } = objectsWith({})
    await expect(scale(objects, deployments, { ...request, replicas }, call)).rejects.toMatchObject({
      code: 3,
      details: { violations: [{ field: 'replicas', description }] },
    })
    expect(patches).toEqual([])
  })
})
