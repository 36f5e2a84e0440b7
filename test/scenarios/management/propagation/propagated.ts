import { describe, expect, it } from 'vitest'
import { bindingName, executionNamespace, workName } from '../../../../karmada/names.js'
import type { PropagationService } from '../../../../proto/gen/kairship/propagation_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { deployment } from '../apps/deployments-in.js'
import { namesOf, object, requestsTo } from '../requests.js'

/** Bindings and Works of an instance. */
export function propagatedCases(world: ManagedWorld<typeof PropagationService>): void {
  const { named, whole } = requestsTo(world)
  const place = async (name: string, divided = false) => {
    await world.create(world.control, TYPES.deployments, deployment(name, { replicas: 2 }))
    await world.place('Deployment', name, { apiVersion: 'apps/v1', divided })
  }
  const binding = (name: string) => named(bindingName('Deployment', name))

  describe('a ResourceBinding of an instance', () => {
    it('shows its template, its policy, its clusters with replicas, and what they report', async () => {
      await place('bound', true)
      const isDone = ({ status }: { status: { aggregatedStatus: { health: string }[] } }) =>
        status.aggregatedStatus.length === 2 &&
        status.aggregatedStatus.every(({ health }) => health === 'Healthy')
      const shown = await eventually('both clusters report a healthy Deployment', async () => {
        const shown = await world.calls.rest('getResourceBinding', binding('bound'))
        return isDone(shown) && shown
      })
      expect(shown.spec).toMatchObject({
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'bound' },
        policy: { kind: 'PropagationPolicy', namespace: 'default', name: 'bound-deployment' },
        replicas: 2,
        placement: { replicaScheduling: { replicaSchedulingType: 'Divided' } },
      })
      const clusters = [...shown.spec.clusters].sort((a, b) => (a.name < b.name ? -1 : 1))
      expect(clusters).toEqual(world.members.map(name => ({ name, replicas: 1 })))
      const types = shown.status.conditions.map(({ type, status }: Record<string, string>) => [type, status])
      expect(types).toEqual(
        expect.arrayContaining([
          ['Scheduled', 'True'],
          ['FullyApplied', 'True'],
        ]),
      )
      for (const { status } of shown.status.aggregatedStatus)
        expect(JSON.parse(status)).toMatchObject({ readyReplicas: 1 })
      const same = await world.calls.read('getResourceBinding', binding('bound'))
      expect(same.spec).toEqual(shown.spec)
      const { data } = await world.calls.read('getResourceBindingJSON', binding('bound'))
      expect(JSON.parse(data)).toMatchObject({
        kind: 'ResourceBinding',
        spec: { resource: { name: 'bound' } },
      })
    })

    it('is listed by pages, and by template and cluster', async () => {
      for (const name of ['listed-a', 'listed-b']) await place(name)
      const list = (more: object) => world.calls.read('listResourceBindings', { ...whole(), ...more })
      const all = { name: 'listed', kind: 'Deployment', targetCluster: world.members[0]! }
      await eventually('both are scheduled', async () => (await list(all)).pagination.total === 2)
      const page = await list({ ...all, pageSize: 1, page: 2, sortBy: 'field_name', sortDir: 'desc' })
      expect(namesOf(page)).toEqual(['listed-a-deployment'])
      expect(page.pagination).toMatchObject({ total: 2, pages: 2 })
      expect(namesOf(await list({ ...all, kindName: 'listed-b' }))).toEqual(['listed-b-deployment'])
      expect(namesOf(await list({ ...all, kind: 'StatefulSet' }))).toEqual([])
      expect(namesOf(await list({ ...all, targetCluster: 'nowhere' }))).toEqual([])
      expect(namesOf(await list({ ...all, namespace: 'kube-system' }))).toEqual([])
    })

    it('is not found where there is none, and is refused without a name', async () => {
      const absent = await world.calls.both('getResourceBinding', named('absent-deployment'))
      expect(absent).toMatchObject({ ok: false, json: { code: 5 } })
      const unnamed = await world.calls.overGrpc('getResourceBinding', { ...whole(), namespace: 'default' })
      expect(unnamed).toMatchObject({ ok: false, json: { code: 3 } })
    })
  })

  describe('a ClusterResourceBinding of an instance', () => {
    it('shows where a template without a namespace goes', async () => {
      const role = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' }
      await world.control.request({
        method: 'POST',
        path: `/apis/${role.group}/v1/${role.resource}`,
        body: {
          ...{ apiVersion: `${role.group}/v1`, kind: 'ClusterRole', metadata: { name: 'bound-role' } },
          rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
        },
      })
      await world.create(world.control, TYPES.clusterPolicies, {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'ClusterPropagationPolicy',
        metadata: { name: 'bound-role' },
        spec: {
          resourceSelectors: [{ apiVersion: `${role.group}/v1`, kind: 'ClusterRole', name: 'bound-role' }],
          placement: {},
        },
      })
      const request = { ...whole(), name: bindingName('ClusterRole', 'bound-role') }
      await eventually('it is scheduled', async () => {
        const { spec } = await world.calls.rest('getClusterResourceBinding', request)
        return spec.clusters.length === 2
      })
      const { spec } = await world.calls.read('getClusterResourceBinding', request)
      expect(spec.policy).toEqual({ kind: 'ClusterPropagationPolicy', namespace: '', name: 'bound-role' })
      const { data } = await world.calls.read('getClusterResourceBindingJSON', request)
      expect(JSON.parse(data).kind).toBe('ClusterResourceBinding')
      const listed = { ...whole(), kind: 'ClusterRole', kindName: 'bound-role' }
      const found = await world.calls.read('listClusterResourceBindings', listed)
      expect(namesOf(found)).toEqual([request.name])
    })
  })

  describe('a Work of an instance', () => {
    it('shows its cluster, what its manifests are, and what the cluster reports', async () => {
      await place('worked')
      const [member = ''] = world.members
      const request = { ...whole(), targetCluster: member, kind: 'Deployment', kindName: 'worked' }
      const shown = await eventually('the member reports', async () => {
        const { items } = await world.calls.rest('listWorks', request)
        return items[0]?.status.manifestStatuses[0]?.health === 'Healthy' && items[0]
      })
      const name = workName('Deployment', 'worked', 'default')
      expect(shown).toMatchObject({
        metadata: { name, namespace: executionNamespace(member) },
        targetCluster: member,
        spec: {
          manifests: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'worked' }],
        },
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Applied', status: 'True' })]),
        },
      })
      const one = await world.calls.read('getWork', named(name, executionNamespace(member)))
      expect(one.spec).toEqual(shown.spec)
      const everywhere = { ...whole(), kindName: 'worked', sortBy: 'cluster', sortDir: 'asc' }
      const { items } = await world.calls.read('listWorks', everywhere)
      const clusters = items.map(({ targetCluster }: { targetCluster: string }) => targetCluster)
      expect(clusters).toEqual(world.members)
      const alone = await world.calls.both('listWorks', { ...whole(), kindNamespace: 'default' })
      expect(alone).toMatchObject({ ok: false, json: { code: 3 } })
      expect(alone.text).toContain('kindNamespace')
    })

    it('has the keys of a Secret and no values, also as JSON, and is not for Viewers', async () => {
      const stringData = { password: 'c4n4ry-in-a-work' }
      await world.create(world.control, TYPES.secrets, object('Secret', 'carried', { stringData }))
      await world.place('Secret', 'carried')
      const [member = ''] = world.members
      const key = named(workName('Secret', 'carried', 'default'), executionNamespace(member))
      await eventually('its Work is there', async () => (await world.calls.overRest('getWorkJSON', key)).ok)
      for (const [rpc, request] of [
        ['getWorkJSON', key],
        ['getWork', key],
        ['listWorks', whole()],
      ] as const)
        expect((await world.viewer.both(rpc, request)).json.code).toBe(7)
      const { data } = await world.calls.read('getWorkJSON', key)
      expect(JSON.parse(data).spec.workload.manifests).toMatchObject([
        { kind: 'Secret', data: { password: '' } },
      ])
      expect(data).not.toContain(Buffer.from(stringData.password).toString('base64'))
    })
  })
}
