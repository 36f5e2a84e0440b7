import { expect } from 'vitest'
import { allTrees } from '../forest.js'
import { behaviour, eventually, type Json, ok, type ReadBehaviour } from '../read-bench.js'

const partial = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`

/** What the read API answers, and how it refuses. */
export const reading: readonly ReadBehaviour[] = [
  behaviour('a list of one cluster holds that cluster’s objects, each marked with it', async k => {
    const { status, body } = await k.deployments({ orderby: 'name' }, k.clusters[0])
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'DeploymentList', apiVersion: 'apps/v1' })
    expect(k.listed({ status, headers: {}, body })).toEqual(['one/a', 'one/b', 'one/c', 'one/d', 'one/e'])
  }),
  behaviour('a list over clusters holds the objects of all', async k => {
    expect(k.listed(await k.deployments()).sort()).toEqual(allTrees)
  }),
  behaviour('a list over namespaces holds this one', async k => {
    const answer = await k.read(`/clusters/${k.clusters[0]}/apis/apps/v1/deployments`, {
      namespaces: k.namespace,
    })
    expect(k.listed(answer)).toHaveLength(5)
  }),
  behaviour('the core group is read under /api/v1', async k => {
    const { status, body } = await k.read(
      `/clusters/${k.clusters[0]}/api/v1/namespaces/${k.namespace}/configmaps`,
    )
    expect(status).toBe(200)
    expect(body.kind).toBe('ConfigMapList')
  }),
  behaviour('an object keeps uid and resourceVersion of its cluster', async k => {
    const there = ok(await k.sources[0].get(`/apis/apps/v1/namespaces/${k.namespace}/deployments/a`))
    const { status, body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments/a`,
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'Deployment', apiVersion: 'apps/v1', spec: there.spec })
    expect(body.metadata).toMatchObject({
      uid: there.metadata.uid,
      resourceVersion: there.metadata.resourceVersion,
    })
  }),
  behaviour('managedFields and the last applied configuration are left out', async k => {
    const { body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments/a`,
    )
    expect(body.metadata.managedFields).toBeUndefined()
    expect(Object.keys(body.metadata.annotations).sort()).toEqual([
      'example.test/rank',
      'shadow.clusterpedia.io/cluster-name',
    ])
  }),
  behaviour('an absent object is NotFound as Status', async k => {
    const { status, body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments/absent`,
    )
    expect(status).toBe(404)
    expect(body).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'deployments.apps "absent" not found',
    })
  }),
  behaviour('a type that is not synced is a plain 404', async k => {
    const { status, headers, body } = await k.read(`/clusters/${k.clusters[0]}/apis/apps/v1/statefulsets`)
    expect(status).toBe(404)
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toBe('404 page not found\n')
  }),
  behaviour('a cluster that is not known is a bad request', async k => {
    const { status, body } = await k.read('/clusters/nowhere/apis/apps/v1/deployments')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      reason: 'BadRequest',
      message: 'the server could not find the requested cluster',
    })
  }),
  behaviour('a name without a cluster is a bad request', async k => {
    const { status, body } = await k.read(`/apis/apps/v1/namespaces/${k.namespace}/deployments/a`)
    expect(status).toBe(400)
    expect(body.message).toBe(
      'please specify the cluster name when using the resource name to get a specific resource.',
    )
  }),
  behaviour('writes are not allowed', async k => {
    const path = `/apis/clusterpedia.io/v1beta1/resources/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments`
    expect((await k.host.post(path, {})).status).toBe(405)
    expect((await k.host.delete(`${path}/a`)).status).toBe(405)
  }),
  behaviour('an update is seen', async k => {
    const path = `/apis/apps/v1/namespaces/${k.namespace}/deployments/b`
    const mark = k.name()
    ok(await k.sources[0].patch(path, 'merge', { metadata: { annotations: { 'example.test/mark': mark } } }))
    await eventually(async () => {
      const { body } = await k.read(`/clusters/${k.clusters[0]}${path}`)
      return body.metadata.annotations['example.test/mark'] === mark
    })
  }),
  behaviour('a creation is seen, and a deletion makes it vanish', async k => {
    const path = `/api/v1/namespaces/${k.namespace}/configmaps`
    const name = k.name()
    ok(await k.sources[1].post(path, { metadata: { name }, data: { a: '1' } }))
    const read = (): Promise<{ status: number }> => k.read(`/clusters/${k.clusters[1]}${path}/${name}`)
    await eventually(async () => (await read()).status === 200)
    ok(await k.sources[1].delete(`${path}/${name}`))
    await eventually(async () => (await read()).status === 404)
  }),
  behaviour('PartialObjectMetadataList holds metadata only', async k => {
    const { body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments`,
      {},
      { accept: partial('PartialObjectMetadataList') },
    )
    expect(body.kind).toBe('PartialObjectMetadataList')
    expect(body.items).toHaveLength(5)
    expect(body.items[0].spec).toBeUndefined()
  }),
  behaviour('a Table names the cluster first', async k => {
    const { body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments`,
      { orderby: 'name' },
      { accept: partial('Table') },
    )
    expect(body.kind).toBe('Table')
    expect(body.columnDefinitions.slice(0, 2).map(({ name }: Json) => name)).toEqual(['Cluster', 'Name'])
    expect(body.rows[0].cells.slice(0, 2)).toEqual([k.clusters[0], 'a'])
  }),
  behaviour('onlyMetadata keeps metadata and empties the rest', async k => {
    const { body } = await k.deployments({ onlyMetadata: true }, k.clusters[0])
    expect(body.items).toHaveLength(5)
    expect(body.items[0].metadata.name).toEqual(expect.any(String))
    expect(body.items[0].spec?.template?.spec?.containers ?? null).toBeNull()
  }),
  behaviour('a cluster’s synced groups are discovered', async k => {
    const { status, body } = await k.read(`/clusters/${k.clusters[0]}/apis`)
    expect(status).toBe(200)
    expect(body.groups.map(({ name }: Json) => name)).toContain('apps')
  }),
  behaviour('a cluster’s synced types are discovered, for reading only', async k => {
    const { body } = await k.read(`/clusters/${k.clusters[0]}/apis/apps/v1`)
    const deployments = body.resources.find(({ name }: Json) => name === 'deployments')
    expect(deployments).toMatchObject({ kind: 'Deployment', namespaced: true })
    expect(deployments.verbs).toEqual(expect.arrayContaining(['get', 'list']))
    expect(body.resources.map(({ name }: Json) => name)).not.toContain('statefulsets')
  }),
  behaviour('who has no role is refused', async k => {
    const path = `/apis/clusterpedia.io/v1beta1/resources/clusters/${k.clusters[0]}/apis/apps/v1/deployments`
    const { status, body } = await k.alice.get(path)
    expect(status).toBe(403)
    expect(body.reason).toBe('Forbidden')
  }),
  behaviour('verb get on resources/{cluster} lets a user read that cluster alone', async k => {
    const name = k.name('reader')
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    ok(
      await k.host.post(`${rbac}/clusterroles`, {
        metadata: { name },
        rules: [
          { apiGroups: ['clusterpedia.io'], resources: [`resources/${k.clusters[0]}`], verbs: ['get'] },
        ],
      }),
    )
    ok(
      await k.host.post(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
      }),
    )
    const path = (cluster: string): string =>
      `/apis/clusterpedia.io/v1beta1/resources/clusters/${cluster}/apis/apps/v1/deployments`
    // Delegated authorization is cached for seconds by the real server.
    await eventually(async () => (await k.alice.get(path(k.clusters[0]))).status === 200)
    expect((await k.alice.get(path(k.clusters[1]))).status).toBe(403)
    await k.host.delete(`${rbac}/clusterrolebindings/${name}`)
    await k.host.delete(`${rbac}/clusterroles/${name}`)
  }),
  behaviour('collection resources are listed', async k => {
    const { status, body } = await k.collection('')
    expect(status).toBe(200)
    expect(body.items.map(({ metadata }: Json) => metadata.name).sort()).toEqual([
      'any',
      'kuberesources',
      'workloads',
    ])
  }),
  behaviour('the collection workloads gathers types over clusters', async k => {
    const { body } = await k.collection('/workloads', { clusters: k.clusters[0], namespaces: k.namespace })
    expect(body.kind).toBe('CollectionResource')
    expect(body.items.map(({ kind, metadata }: Json) => `${kind}/${metadata.name}`).sort()).toEqual([
      'Deployment/a',
      'Deployment/b',
      'Deployment/c',
      'Deployment/d',
      'Deployment/e',
    ])
  }),
  behaviour('the collection any gathers the types it is told', async k => {
    const { body } = await k.collection('/any', {
      resources: 'apps/deployments,apps/replicasets',
      clusters: k.clusters[0],
      namespaces: k.namespace,
    })
    expect(body.items.map(({ kind }: Json) => kind).sort()).toEqual([
      ...Array(5).fill('Deployment'),
      'ReplicaSet',
    ])
  }),
  behaviour('the collection any without types is a bad request', async k => {
    const { status, body } = await k.collection('/any')
    expect(status).toBe(400)
    expect(body.message).toContain('url query - `groups` or `resources` is required')
  }),
]
