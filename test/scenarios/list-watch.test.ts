import { Subscription } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LeaseHandle, startLease } from '../../actors/election/lease.js'
import { connectKube, type KubeConnection } from '../../actors/kube/connection.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import type { LeaseDurations } from '../../machines/lease-terms.js'
import { type KubeObject, resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import { type ApiServer, startApiServer } from '../../playground/apiserver/server.js'
import { keepWatching } from '../../streams/keep-watching.js'
import { listWatch } from '../../streams/list-watch.js'
import { ObjectStore } from '../../streams/object-store.js'
import type { Interrupted } from '../../streams/seen.js'
import { waitFor } from '../patience.js'
import { replicaName } from '../replica-name.js'
import { failed, silent, unmetered } from '../silent.js'
import { type Relay, relayTo } from './support/relay.js'

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const namespace = 'default'
/** As the product's, but in tests nobody wants to wait. */
const backoff = { firstMs: 20, longestMs: 200, quietMs: 2_000 }

let server: ApiServer
const relays: Relay[] = []
const connections: KubeConnection[] = []
let subscriptions: Subscription

beforeEach(async () => {
  server = await startApiServer({ name: 'scenario', defaultAccounts: false })
  subscriptions = new Subscription()
})
afterEach(async () => {
  subscriptions.unsubscribe()
  await Promise.all(connections.splice(0).map(connection => connection.close()))
  await Promise.all(relays.splice(0).map(relay => relay.close()))
  await server.close()
})

/** A connection of its own to the server, over TLS and a wire that can be cut. */
async function connected(): Promise<{ api: KubeConnection; wire: Relay }> {
  const wire = await relayTo(Number(new URL(server.url).port))
  relays.push(wire)
  const kubeconfig = await server.kubeconfig({ name: 'admin', groups: ['system:masters'] })
  const text = kubeconfig.replaceAll(server.url, `https://127.0.0.1:${wire.port}`)
  const api = await connectKube(parseKubeconfig(text, { local: false }))
  connections.push(api)
  return { api, wire }
}

/** Follows the ConfigMaps of the namespace, remembering the changes in words and the interruptions. */
function follow(api: KubeConnection) {
  const store = new ObjectStore<KubeObject>()
  const changes: string[] = []
  const interruptions: Interrupted[] = []
  const watching = keepWatching(listWatch<KubeObject>(api, CONFIG_MAPS, { namespace, limit: 2 }), {
    backoff,
  }).subscribe(seen => {
    if (seen.type === 'interrupted') interruptions.push(seen)
    for (const change of store.take(seen))
      changes.push(change.type === 'SYNCED' ? 'SYNCED' : `${change.type} ${change.object.metadata.name}`)
  })
  subscriptions.add(watching)
  return { store, changes, interruptions, stop: () => watching.unsubscribe() }
}

const path = (name?: string) => resourcePath(CONFIG_MAPS, { namespace, ...(name && { name }) })
const create = (name: string) =>
  server.local.request({
    method: 'POST',
    path: path(),
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  })
const change = (name: string, value: string) =>
  server.local.request({
    method: 'PATCH',
    path: path(name),
    body: { data: { value } },
    contentType: 'application/merge-patch+json',
  })
const remove = (name: string) => server.local.request({ method: 'DELETE', path: path(name) })

describe('a list-watch over real sockets', () => {
  it('lists page by page, then follows every change, with one socket for the watch', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name)
    const { api, wire } = await connected()
    const { changes, interruptions } = follow(api)
    await waitFor(() => expect(changes.at(-1)).toBe('SYNCED'))
    await create('f')
    await change('f', '1')
    await remove('a')
    await waitFor(() => expect(changes.at(-1)).toBe('DELETED a'))
    expect(changes.slice(-4)).toEqual(['SYNCED', 'ADDED f', 'MODIFIED f', 'DELETED a'])
    expect(interruptions).toEqual([])
    expect(api.inFlight()).toEqual({ requests: 0, watches: 1 })
    expect(wire.total()).toBeLessThanOrEqual(3)
  })

  it('resumes after its connection was cut, and emits nothing twice', async () => {
    await create('a')
    const { api, wire } = await connected()
    const { changes, interruptions } = follow(api)
    await waitFor(() => expect(changes).toContain('SYNCED'))
    for (let round = 1; round <= 5; round++) {
      wire.cut()
      await change('a', `${round}`)
      await waitFor(() => expect(changes).toHaveLength(2 + round))
    }
    expect(changes).toEqual(['ADDED a', 'SYNCED', ...Array(5).fill('MODIFIED a')])
    expect(interruptions.length).toBeGreaterThanOrEqual(4)
  })

  it('reports changes made while the server was away, with a recreated object as a deletion and an addition', async () => {
    for (const name of ['gone', 'same', 'reborn']) await create(name)
    const { api, wire } = await connected()
    const { store, changes, interruptions } = follow(api)
    await waitFor(() => expect(changes).toContain('SYNCED'))
    wire.break()
    await remove('gone')
    await remove('reborn')
    await create('reborn')
    await create('new')
    server.interrupt({ kind: 'compact' }) // so that only a list can tell
    await waitFor(() => expect(interruptions.length).toBeGreaterThan(3))
    wire.mend()
    await waitFor(() => expect(changes.filter(each => each === 'SYNCED')).toHaveLength(2))
    expect(changes.slice(4).sort()).toEqual(
      ['ADDED new', 'ADDED reborn', 'DELETED gone', 'DELETED reborn', 'SYNCED'].sort(),
    )
    expect([...store.values()].map(({ metadata }) => metadata.name).sort()).toEqual(['new', 'reborn', 'same'])
    expect(interruptions.at(-1)?.error).toMatchObject({ code: 410 })
  })

  it('survives many compactions and cuts, and ends up equal to the server', async () => {
    const { api, wire } = await connected()
    const { store, changes } = follow(api)
    await waitFor(() => expect(changes).toContain('SYNCED'))
    for (let round = 0; round < 30; round++) {
      const name = `thing-${round % 7}`
      await remove(name).catch(error => {
        if (!isNotFound(error)) throw error
      })
      await create(name)
      if (round % 3 === 0) server.interrupt({ kind: 'compact' })
      if (round % 2 === 0) wire.cut()
      if (round % 5 === 0) server.interrupt({ kind: 'endWatches' })
    }
    await create('last')
    await waitFor(() => expect(store.get('default/last')).toBeDefined())
    const { items } = await server.local.request<{ items: KubeObject[] }>({ method: 'GET', path: path() })
    const versions = (objects: Iterable<KubeObject>) =>
      [...objects]
        .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
        .sort()
    await waitFor(() => expect(versions(store.values())).toEqual(versions(items)))
  })

  it('tolerates slow answers', async () => {
    for (const name of ['a', 'b', 'c']) await create(name)
    const mend = server.interrupt({ kind: 'delay', milliseconds: 300 })
    const { api } = await connected()
    const { changes, interruptions } = follow(api)
    await waitFor(() => expect(changes.at(-1)).toBe('SYNCED'))
    mend()
    expect(interruptions).toEqual([])
  })

  it('leaves no watch and no socket whenever it is stopped', async () => {
    for (const name of ['a', 'b', 'c']) await create(name)
    const { api, wire } = await connected()
    for (let round = 0; round < 20; round++) {
      const { stop, changes } = follow(api)
      if (round % 2) await waitFor(() => expect(changes.at(-1)).toBe('SYNCED'))
      stop()
    }
    await waitFor(() => expect(api.inFlight()).toEqual({ requests: 0, watches: 0 }))
    await api.close()
    await waitFor(() => expect(wire.open()).toBe(0))
  })
})

describe('two replicas on one lease, over real sockets', () => {
  const leases: LeaseHandle[] = []
  afterEach(() => Promise.all(leases.splice(0).map(lease => lease.release())))

  const replica = (api: KubeConnection, identity: string, durations?: LeaseDurations): LeaseHandle => {
    const lease = startLease({
      failed,
      api,
      namespace,
      name: 'leader',
      identity,
      contend: true,
      log: silent,
      meter: unmetered,
      ...(durations && { durations }),
    })
    leases.push(lease)
    return lease
  }

  it('one that is cut off stops acting before the other starts', async () => {
    const durations = { leaseDurationMs: 2_000, renewDeadlineMs: 1_200, retryPeriodMs: 200 }
    const [a, b] = [await connected(), await connected()]
    const leader = replica(a.api, 'first', durations)
    await waitFor(() => expect(leader.current().leading).toBe(true))
    const follower = replica(b.api, 'second', durations)
    await waitFor(() => expect(replicaName(follower.current().holder)).toBe('first'))

    const order: string[] = []
    leader.current().signal.addEventListener('abort', () => order.push('stopped'))
    subscriptions.add(follower.leadership$.subscribe(({ leading }) => leading && order.push('started')))
    a.wire.break()
    await waitFor(() => expect(order.slice(0, 2)).toEqual(['stopped', 'started']))
    a.wire.mend()
    await waitFor(() => {
      expect(leader.current().leading).toBe(false)
      expect(replicaName(leader.current().holder)).toBe('second')
    })
  })

  it('one that releases the lease is succeeded at once, although its lease would have lasted an hour', async () => {
    const durations = { leaseDurationMs: 3_600_000, renewDeadlineMs: 3_000_000, retryPeriodMs: 600_000 }
    const [a, b] = [await connected(), await connected()]
    const leader = replica(a.api, 'first', durations)
    await waitFor(() => expect(leader.current().leading).toBe(true))
    const follower = replica(b.api, 'second', durations)
    await waitFor(() => expect(replicaName(follower.current().holder)).toBe('first'))
    await leader.release()
    await waitFor(() => expect(follower.current().leading).toBe(true))
  })
})
