import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import type { ObjectKey, ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../../http/objects/objects.js'
import type { OwnReads } from '../../../../http/objects/requests/own-requests.js'
import { gather } from '../../../../http/rpc/placement/gather.js'
import { Reader } from '../../../../http/rpc/placement/reader.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { orAborted } from '../../../../ports/cancellation.js'
import { NO_OWN_READS } from './own-reads.js'

const DEPLOYMENT: ObjectType = {
  ...{ group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true },
}
const WEB: ObjectKey = { namespace: 'shop', name: 'web' }

const cluster = (name: string, ready?: 'True' | 'False' | 'Unknown'): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name },
  spec: { syncMode: 'Push' },
  ...(ready && {
    status: {
      conditions: [
        {
          type: 'Ready',
          status: ready,
          reason: 'Seen',
          message: 'by the test',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  }),
})

/** A control plane with a binding to its clusters; members answer as `member` does, and never unless it says so. */
function world(
  clusters: readonly Cluster[],
  member: (name: string) => Promise<unknown> = never,
  { mayList = true, own = NO_OWN_READS }: { readonly mayList?: boolean; readonly own?: OwnReads } = {},
) {
  const asked: string[] = []
  const binding = {
    metadata: { name: 'web-deployment', namespace: 'shop' },
    spec: { clusters: clusters.map(({ metadata: { name } }) => ({ name })) },
  }
  const objects = {
    async get(call: ObjectCall, place: Place, { resource }: ObjectType) {
      if (place.cluster !== undefined) {
        asked.push(place.cluster)
        return orAborted(member(place.cluster), call.signal)
      }
      return resource === 'resourcebindings' ? binding : { metadata: WEB }
    },
    async list(_: ObjectCall, __: Place, { resource }: ObjectType) {
      if (resource !== 'clusters') return { items: [] }
      if (!mayList) throw new StatusError({ ...bareStatus(403, 'no clusters for you'), reason: 'Forbidden' })
      return { items: clusters }
    },
  } as unknown as Objects
  const caller = new AbortController()
  const call = { signal: caller.signal } as Call
  const reader = new Reader(objects, own, call, { instance: 'eu' })
  return { asked, caller, gathered: () => gather(reader, DEPLOYMENT, WEB) }
}

const never = () => new Promise<never>(() => undefined)

describe('a trace for a caller who may not list clusters', () => {
  it('has the clusters of its binding, and says that these are not all', async () => {
    const there = cluster('there', 'True')
    const own: OwnReads = {
      get: async (call, instance, request) =>
        request.path.endsWith('/clusters/there')
          ? (there as never)
          : NO_OWN_READS.get(call, instance, request),
    }
    const found = async () => ({ metadata: WEB })
    const denied = await world([there, cluster('gone', 'True')], found, { mayList: false, own }).gathered()
    expect([denied.clusters, denied.areClustersUnlisted]).toEqual([[there], true])
    const allowed = await world([there], found).gathered()
    expect([allowed.clusters, allowed.areClustersUnlisted]).toEqual([[there], false])
  })
})

describe('the member part of a trace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('skips a member that is not ready, and reports it', async () => {
    const { asked, gathered } = world([cluster('down', 'False'), cluster('lost', 'Unknown'), cluster('new')])
    const { members } = await gathered()
    expect(asked).toEqual([])
    expect([...members.values()]).toEqual([
      { kind: 'unreadable', because: 'its Cluster is not ready, Seen: by the test' },
      { kind: 'unreadable', because: 'its Cluster is not ready, Seen: by the test' },
      { kind: 'unreadable', because: 'its Cluster is not ready, it has not reported yet' },
    ])
  })

  it('waits three seconds for each member, and reports the others', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `hangs-${at}`)
    const { asked, gathered } = world(
      [...names, 'well'].map(name => cluster(name, 'True')),
      async name => (name === 'well' ? { metadata: WEB } : never()),
    )
    const found = gathered()
    await vi.advanceTimersByTimeAsync(6_000)
    const { members } = await found
    expect(asked).toHaveLength(10)
    expect(members.get('hangs-0')).toEqual({
      kind: 'unreadable',
      because: 'the member did not answer within 3 s',
    })
    expect(members.get('hangs-8')).toEqual(members.get('hangs-0'))
    expect(members.get('well')).toEqual({ kind: 'found', object: { metadata: WEB } })
  })

  it('ends with the call, with the reason of its signal', async () => {
    const { caller, gathered } = world([cluster('hangs', 'True')])
    const found = gathered()
    const ended = expect(found).rejects.toThrow('hung up')
    await vi.advanceTimersByTimeAsync(1_000)
    caller.abort(new Error('hung up'))
    await ended
    expect(vi.getTimerCount()).toBe(0)
  })
})
