import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import type { WorkloadService } from '../../../../proto/gen/kairship/workload_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { requestsTo, triedIn } from '../requests.js'
import { daemonSet } from './daemon-sets.js'
import { deployment } from './deployments-in.js'
import { statefulSet } from './stateful-sets.js'

interface Shown {
  readonly id: string
  readonly images: readonly string[]
  readonly current: boolean
  readonly refusal: string
  readonly changeCause: string
  readonly clusters: readonly { cluster: string; revision: string; active: boolean; replicas?: number }[]
}

/** Revisions of workloads, and rollbacks to them. */
export function rollbackCases(
  apps: ManagedWorld<typeof AppsService>,
  workloads: ManagedWorld<typeof WorkloadService>,
): void {
  const { named } = requestsTo(apps)
  const image = (version: string) => ({ containers: [{ name: 'main', image: `nginx:${version}` }] })
  const imageIn = (
    cluster: string,
    type: (typeof TYPES)['deployments' | 'statefulSets' | 'daemonSets'],
    name: string,
    wanted: string,
  ) =>
    apps.in(
      cluster,
      type,
      { namespace: 'default', name },
      ({ spec }) => spec.template.spec.containers[0].image === wanted,
    )
  const kinds = [
    ['Deployment', apps, TYPES.deployments, deployment],
    ['StatefulSet', workloads, TYPES.statefulSets, statefulSet],
    ['DaemonSet', workloads, TYPES.daemonSets, daemonSet],
  ] as const
  const list = async (
    world: (typeof kinds)[number][1],
    kind: string,
    name: string,
  ): Promise<{ items: Shown[]; unread: object[] }> =>
    (world as typeof apps).calls.read(`list${kind}Revisions` as 'listDeploymentRevisions', named(name))

  describe('a rollback to a revision', () => {
    it.each(kinds)(
      'of a %s gives its earlier pod template to the template and to both members',
      async (kind, world, type, manifest) => {
        const name = `back-${kind.toLowerCase()}`
        const template = (version: string) => ({ spec: { template: { spec: image(version) } } })
        await apps.place(kind, name, { apiVersion: 'apps/v1' })
        const made = manifest(name)
        await apps.create(apps.control, type, {
          ...made,
          spec: { ...made.spec, template: { ...made.spec.template, spec: image('1') } },
        })
        for (const member of apps.members) await imageIn(member, type, name, 'nginx:1')
        await eventually(
          'both remember the first',
          async () => (await list(world, kind, name)).items[0]?.clusters.length === 2,
        )
        await apps.patch(apps.control, type, { namespace: 'default', name }, template('2'))
        const { items } = await eventually('both remember two revisions', async () => {
          const found = await list(world, kind, name)
          const isWhole =
            found.items.length === 2 && found.items.every(({ clusters }) => clusters.length === 2)
          return isWhole ? found : undefined
        })
        const [second, first] = items
        expect([first?.images, first?.current, first?.refusal]).toEqual([['nginx:1'], false, ''])
        expect([second?.images, second?.current]).toEqual([['nginx:2'], true])
        expect(first?.clusters.map(({ cluster, revision }) => [cluster, revision])).toEqual(
          apps.members.map(member => [member, '1']),
        )
        expect(second?.clusters.map(({ revision, active }) => [revision, active])).toEqual([
          ['2', true],
          ['2', true],
        ])

        const rpc = `rollback${kind}` as 'rollbackDeployment'
        const request = { ...named(name), revision: first!.id }
        const calls = (world as typeof apps).calls
        // Its status follows the members', which may still be starting: what a writer says is compared, and its generation.
        const writtenNow = async () => {
          const found = await apps.find(apps.control, type, { namespace: 'default', name })
          const { generation, annotations, labels } = found!.metadata
          return { spec: found!.spec, generation, annotations, labels }
        }
        const before = await writtenNow()
        const dry = await calls.read(rpc, { ...request, dryRun: true })
        expect((dry.deployment ?? dry).spec.template.spec.containers[0].image).toBe('nginx:1')
        const stale = await calls.both(rpc, { ...request, resourceVersion: '1' })
        expect(stale).toMatchObject({ ok: false, json: { code: 10 } })
        expect(await writtenNow()).toEqual(before)
        // `read` asks again where the status changed between its two wires.
        const tried = triedIn(apps, `Rollback${kind}`, name).map(each => each.join(' '))
        expect([...new Set(tried)]).toEqual([
          'rest OK true',
          'grpc OK true',
          'rest ABORTED false',
          'grpc ABORTED false',
        ])

        await calls.rest(rpc, request)
        for (const member of apps.members) await imageIn(member, type, name, 'nginx:1')
        const after = await eventually('the first is the newest again', async () => {
          const { items } = await list(world, kind, name)
          const again = items.find(({ id }) => id === first!.id)
          return again?.clusters.every(({ revision }) => revision === '3') ? again : undefined
        })
        expect(after.current).toBe(true)
        const stored = await apps.find(apps.control, type, { namespace: 'default', name })
        expect(stored.spec.template.metadata.labels).toEqual(before.spec.template.metadata.labels)
        // It has the template already, so nothing is written.
        await calls.rest(rpc, request)
        expect(
          (await apps.find(apps.control, type, { namespace: 'default', name })).metadata.generation,
        ).toBe(stored.metadata.generation)
      },
    )

    it('is refused where only overridden clusters remember the template, and allowed where another does', async () => {
      const name = 'overridden'
      const [first = '', second = ''] = apps.members
      const affinity = (clusterNames: string[]) => ({ placement: { clusterAffinity: { clusterNames } } })
      await apps.create(apps.control, TYPES.overridePolicies, {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'OverridePolicy',
        metadata: { name: 'own-registry' },
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
          overrideRules: [
            {
              targetCluster: { clusterNames: [first] },
              overriders: {
                imageOverrider: [{ component: 'Registry', operator: 'add', value: 'local.test' }],
              },
            },
          ],
        },
      })
      await apps.place('Deployment', name, { apiVersion: 'apps/v1', more: affinity([first]) })
      await apps.create(apps.control, TYPES.deployments, deployment(name, { replicas: 1 }))
      await imageIn(first, TYPES.deployments, name, 'local.test/nginx:1.27')
      const overridden = await eventually(
        'its revision is there',
        async () => (await list(apps, 'Deployment', name)).items[0],
      )
      expect(overridden.images).toEqual(['local.test/nginx:1.27'])
      expect(overridden.current).toBe(false)
      expect(overridden.refusal).toContain('OverridePolicy own-registry')
      const refused = await apps.calls.both('rollbackDeployment', { ...named(name), revision: overridden.id })
      expect(refused).toMatchObject({ ok: false, json: { code: 9 } })
      expect(refused.text).toContain(`own-registry changes pod templates in ${first}`)

      const policy = { namespace: 'default', name: `${name}-deployment` }
      await apps.patch(apps.control, TYPES.policies, policy, { spec: affinity([first, second]) })
      await imageIn(second, TYPES.deployments, name, 'nginx:1.27')
      await eventually(
        'the plain one is there',
        async () => (await list(apps, 'Deployment', name)).items.length === 2,
      )
      const plain = (await list(apps, 'Deployment', name)).items.find(({ refusal }) => refusal === '')
      expect(plain).toMatchObject({ images: ['nginx:1.27'], current: true, clusters: [{ cluster: second }] })
      await apps.patch(
        apps.control,
        TYPES.deployments,
        { namespace: 'default', name },
        { spec: { template: { spec: image('2') } } },
      )
      await imageIn(second, TYPES.deployments, name, 'nginx:2')
      await apps.calls.rest('rollbackDeployment', { ...named(name), revision: plain!.id })
      await imageIn(first, TYPES.deployments, name, 'local.test/nginx:1.27')
      await imageIn(second, TYPES.deployments, name, 'nginx:1.27')
    })

    it('names the clusters that cannot be read, and refuses a revision that no cluster remembers, and a paused workload', async () => {
      const name = 'half-known'
      const [, down = ''] = apps.members
      await apps.place('Deployment', name, { apiVersion: 'apps/v1' })
      await apps.create(apps.control, TYPES.deployments, deployment(name, { replicas: 1 }))
      await eventually(
        'both remember it',
        async () => (await list(apps, 'Deployment', name)).items[0]?.clusters.length === 2,
      )
      const restore = apps.member(down).interrupt({ kind: 'refuseConnections' })
      try {
        const { items, unread } = await apps.calls.rest('listDeploymentRevisions', named(name))
        expect(items[0].clusters).toHaveLength(1)
        expect(unread).toEqual([{ cluster: down, message: expect.stringMatching(/./) }])
        const request = { ...named(name), revision: 'ffffffffffffffff' }
        const unknown = await apps.calls.overRest('rollbackDeployment', request)
        expect(unknown).toMatchObject({ ok: false, json: { code: 5 } })
        expect(unknown.text).toContain('take the id of one from its list of revisions')
        expect(unknown.text).toContain(down)
      } finally {
        restore()
      }
      await apps.patch(
        apps.control,
        TYPES.deployments,
        { namespace: 'default', name },
        {
          spec: { paused: true, template: { spec: image('2') } },
        },
      )
      const { items } = await list(apps, 'Deployment', name)
      const paused = await apps.calls.both('rollbackDeployment', {
        ...named(name),
        revision: items.find(({ current }) => !current)!.id,
      })
      expect(paused).toMatchObject({ ok: false, json: { code: 9 } })
      expect(paused.text).toContain('resume it first')
    })

    it('is refused to those who may only read, and without a revision', async () => {
      const name = 'not-yours'
      await apps.create(apps.control, TYPES.deployments, deployment(name))
      const request: JsonObject = { ...named(name), revision: 'ffffffffffffffff' }
      expect((await apps.viewer.both('rollbackDeployment', request)).json.code).toBe(7)
      expect((await apps.calls.both('rollbackDeployment', { ...request, revision: '' })).json.code).toBe(3)
      expect(await list(apps, 'Deployment', name)).toEqual({ items: [], unread: [] })
    })
  })
}
