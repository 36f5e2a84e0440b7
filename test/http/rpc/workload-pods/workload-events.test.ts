import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { workloadPodsHandlers } from '../../../../http/rpc/workload-pods/handlers.js'
import { EventType } from '../../../../proto/gen/kairship/core_pb.js'
import { recordingObjects } from '../recording-objects.js'

const call = {
  ...{ signal: new AbortController().signal, answered: () => undefined },
} as unknown as Call
const event = (name: string, lastTimestamp: string, more: object = {}) => ({
  metadata: { name },
  involvedObject: { kind: 'Deployment', name: 'web' },
  ...{ type: 'Normal', reason: name, lastTimestamp, ...more },
})
/** A Deployment that is placed on m1 and m2, with the same Events everywhere. */
const world = () =>
  recordingObjects(
    (_id, { resource }) =>
      resource === 'resourcebindings'
        ? {
            spec: {
              resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'web' },
              clusters: [{ name: 'm2' }, { name: 'm1' }],
            },
          }
        : { metadata: { uid: 'web' } },
    {
      events: [
        event('oldest', '2026-01-01T00:00:00Z'),
        event('newest', '2026-01-01T00:00:02.5Z', { type: 'Warning' }),
        event('newer', '2026-01-01T00:00:02Z'),
        event('other', '2026-01-01T00:00:09Z', { involvedObject: { kind: 'Job', name: 'web' } }),
      ],
    },
  )
const request = {
  ...{ instance: 'i', namespace: 'a', kind: 'Deployment', name: 'web' },
  ...{ page: 1, pageSize: 0, clusters: [], type: [] },
}

describe('the events of a workload', () => {
  const list = async (more: object = {}) => {
    const { objects, recorded } = world()
    const answer = await workloadPodsHandlers(objects).listWorkloadEvents(
      { ...request, ...more } as never,
      call,
    )
    const places = recorded.flatMap(({ resource, place }) => (resource === 'events' ? [place.cluster] : []))
    return { names: (answer.items ?? []).map(({ reason, cluster }) => `${cluster}/${reason}`), places }
  }

  it('are those of the control plane and of all its clusters, the newest first', async () => {
    const { names, places } = await list()
    expect(places).toHaveLength(3)
    expect(names).toEqual(
      ['newest', 'newer', 'oldest'].flatMap(name => ['', 'm1', 'm2'].map(cluster => `${cluster}/${name}`)),
    )
  })

  it('of named clusters are theirs alone', async () => {
    const { names, places } = await list({ clusters: ['m2', 'm2'] })
    expect(places).toEqual(['m2'])
    expect(names).toEqual(['m2/newest', 'm2/newer', 'm2/oldest'])
  })

  it('of a type are those of it', async () => {
    expect((await list({ clusters: ['m1'], type: [EventType.Warning] })).names).toEqual(['m1/newest'])
  })
})
