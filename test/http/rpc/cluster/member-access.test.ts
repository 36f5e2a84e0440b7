import { describe, expect, it } from 'vitest'
import { ClusterApi } from '../../../../http/rpc/cluster/cluster-api.js'
import { leftBehind } from '../../../../http/rpc/cluster/left-behind.js'
import { grantAccess } from '../../../../http/rpc/cluster/member-access.js'
import { revokeAccess } from '../../../../http/rpc/cluster/revoke.js'
import { Undo } from '../../../../http/rpc/create/undo.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { KubeRequest } from '../../../../ports/kube-api.js'

const NAMESPACE = '/api/v1/namespaces/karmada-cluster'
const ACCOUNT = `${NAMESPACE}/serviceaccounts/karmada-m`
const SECRET = `${NAMESPACE}/secrets/karmada-m`

type Stored = KubeObject & { data?: object; type?: string }
const refused = (code: number, reason: string) => new StatusError({ ...bareStatus(code, reason), reason })

/** A cluster whose garbage collector works when it is told to; its token controller works at once. */
class SlowCluster {
  readonly objects = new Map<string, Stored>()
  #made = 0

  readonly request = async <T>({ method, path, body }: KubeRequest): Promise<T> =>
    this.answer(method, path, body) as T

  api(): ClusterApi {
    return new ClusterApi(this, 'm', new AbortController().signal)
  }

  answer(method: string, path: string, body: unknown): unknown {
    const found = this.objects.get(path)
    if (method === 'POST') {
      const object = body as Stored
      return this.#store(`${path}/${encodeURIComponent(object.metadata.name)}`, object)
    }
    if (method === 'GET' && path.endsWith('/serviceaccounts'))
      return { items: [...this.objects].filter(([key]) => key.startsWith(path)).map(([, object]) => object) }
    if (!found) throw refused(404, 'NotFound')
    if (method === 'DELETE') return this.objects.delete(path)
    if (method !== 'PATCH') return found
    const { metadata = {}, ...rest } = body as Partial<Stored>
    if ('resourceVersion' in metadata && metadata.resourceVersion !== found.metadata.resourceVersion)
      throw refused(409, 'Conflict')
    return this.#store(
      path,
      { ...found, ...rest, metadata: { ...found.metadata, ...metadata } },
      found.metadata.uid,
    )
  }

  #store(path: string, object: Stored, uid?: string): Stored {
    this.#made += 1
    const made = String(this.#made)
    const metadata = { ...object.metadata, uid: uid ?? made, resourceVersion: made }
    const stored = { ...object, metadata }
    if (object.type === 'kubernetes.io/service-account-token') {
      const of = this.objects.get(path.replace('secrets', 'serviceaccounts'))?.metadata.uid ?? ''
      const annotations = { 'kubernetes.io/service-account.uid': of, ...object.metadata.annotations }
      Object.assign(stored, { metadata: { ...metadata, annotations }, data: { token: `of ${of}` } })
    }
    this.objects.set(path, stored)
    return stored
  }

  /** Deletes what belongs to nobody who is still there; a namespace with what it has. */
  collect(only = /./): void {
    const uids = new Set([...this.objects.values()].map(({ metadata }) => metadata.uid))
    for (const [path, { metadata }] of [...this.objects])
      if (only.test(path) && metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)))
        for (const inside of this.objects.keys())
          if (`${inside}/`.startsWith(`${path}/`)) this.objects.delete(inside)
  }

  /** All that stands there, and whose the token is. */
  access() {
    const { token } = (this.objects.get(SECRET)?.data ?? {}) as { token?: string }
    return { count: this.objects.size, token: token === `of ${this.objects.get(ACCOUNT)?.metadata.uid}` }
  }
}

const join = (cluster: SlowCluster) =>
  grantAccess(cluster.api(), { cluster: 'm', instance: 'north' }, new Undo())
const whole = { count: 7, token: true }

describe('a cluster that joins again after it has left', () => {
  async function left(): Promise<SlowCluster> {
    const cluster = new SlowCluster()
    await join(cluster)
    expect(cluster.access()).toEqual(whole)
    expect(await revokeAccess(cluster.api(), 'm')).toEqual([])
    return cluster
  }

  it('is joined by what is made anew when all of the earlier join was deleted', async () => {
    const cluster = await left()
    cluster.collect()
    expect(cluster.objects.size).toBe(0)
    await join(cluster)
    expect(cluster.access()).toEqual(whole)
  })

  it('keeps its access when the garbage collector comes only then', async () => {
    const cluster = await left()
    await join(cluster)
    cluster.collect()
    expect(cluster.access()).toEqual(whole)
  })

  it('has the token of its account when only the account was deleted', async () => {
    const cluster = await left()
    cluster.collect(/serviceaccounts/)
    const { token } = await join(cluster)
    expect(token).toBe(`of ${cluster.objects.get(ACCOUNT)?.metadata.uid}`)
    cluster.collect()
    expect(cluster.access()).toEqual(whole)
  })

  it('waits for a namespace that is being deleted, also when that begins while it looks', async () => {
    const cluster = await left()
    const { answer } = cluster
    let looked = 0
    cluster.answer = (method, path, body) => {
      if (path === NAMESPACE && method === 'PATCH') {
        const { metadata, ...namespace } = cluster.objects.get(NAMESPACE)!
        const deleted = { ...metadata, resourceVersion: 'other', deletionTimestamp: '2026-01-01T00:00:00Z' }
        cluster.objects.set(NAMESPACE, { ...namespace, metadata: deleted })
      }
      if (path === NAMESPACE && method === 'GET') looked += 1
      if (looked === 3) cluster.collect(/karmada-cluster$/)
      return answer.call(cluster, method, path, body)
    }
    await join(cluster)
    expect(looked).toBe(3)
    cluster.collect()
    expect(cluster.access()).toEqual(whole)
  })

  it('is refused when what is being deleted does not go in time', async () => {
    const cluster = new SlowCluster()
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-cluster' } }
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    cluster.objects.set(NAMESPACE, { ...namespace, metadata: { ...namespace.metadata, deletionTimestamp } })
    const type = { group: '', version: 'v1', resource: 'namespaces' }
    await expect(leftBehind(cluster.api(), type, namespace, 0)).rejects.toMatchObject({
      message: expect.stringContaining('Namespace karmada-cluster of an earlier join is still being deleted'),
      details: { reason: 'Deleting' },
    })
  })
})

it('a cluster that leaves keeps the namespace and the impersonator while another control plane uses them', async () => {
  const cluster = new SlowCluster()
  await join(cluster)
  const [other, own] = ['karmada-other', 'default']
  for (const name of [other, own])
    cluster.answer('POST', `${NAMESPACE}/serviceaccounts`, {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'karmada-cluster' } },
    })
  expect(await revokeAccess(cluster.api(), 'm')).toEqual([
    'Namespace karmada-cluster with ServiceAccount karmada-impersonator: karmada-other of other control planes are in use there',
  ])
  cluster.collect()
  expect([...cluster.objects.keys()].filter(path => !path.includes('/secrets/')).toSorted()).toEqual([
    NAMESPACE,
    ...[own, 'karmada-impersonator', other].map(name => `${NAMESPACE}/serviceaccounts/${name}`),
  ])
  expect(cluster.objects.has(SECRET)).toBe(false)
})
