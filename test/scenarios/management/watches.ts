import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import type { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import type { PropagationService } from '../../../proto/gen/kairship/propagation_pb.js'
import type { WorkloadService } from '../../../proto/gen/kairship/workload_pb.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { type ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, told, whileFollowing } from '../support/while-following.js'
import { daemonSet } from './apps/daemon-sets.js'
import { deployment } from './apps/deployments-in.js'
import { statefulSet } from './apps/stateful-sets.js'
import { cronJob, job } from './batch/jobs-in.js'
import { object } from './requests.js'

interface Worlds {
  readonly core: ManagedWorld<typeof CoreService>
  readonly apps: ManagedWorld<typeof AppsService>
  readonly batch: ManagedWorld<typeof BatchService>
  readonly workloads: ManagedWorld<typeof WorkloadService>
  readonly propagation: ManagedWorld<typeof PropagationService>
  readonly networking: ManagedWorld<typeof NetworkingService>
}
/** Lists of each kind that are followed. */
export function watchCases({ core, apps, batch, workloads, propagation, networking }: Worlds): void {
  const { ports, containers } = { ports: [{ port: 80 }], containers: [{ name: 'main', image: 'nginx' }] }
  const key = (name: string, namespace = 'default') => ({ namespace, name })
  const whole = () => ({ instance: core.instance })

  describe('a list that is followed', () => {
    it.each([
      ['ConfigMaps', core, 'watchConfigMaps', 'configMap', TYPES.configMaps, object('ConfigMap', 'x')],
      ['Secrets', core, 'watchSecrets', 'secret', TYPES.secrets, object('Secret', 'x')],
      [
        'Services',
        core,
        'watchServices',
        'service',
        TYPES.services,
        object('Service', 'x', { spec: { ports } }),
      ],
      ['Namespaces', core, 'watchNamespaces', 'namespace', TYPES.namespaces, object('Namespace', 'x')],
      ['Deployments', apps, 'watchDeployments', 'deployment', TYPES.deployments, deployment('x')],
      ['StatefulSets', workloads, 'watchStatefulSets', 'statefulSet', TYPES.statefulSets, statefulSet('x')],
      ['DaemonSets', workloads, 'watchDaemonSets', 'daemonSet', TYPES.daemonSets, daemonSet('x')],
      ['Jobs', batch, 'watchJobs', 'job', TYPES.jobs, job('x')],
      ['CronJobs', batch, 'watchCronJobs', 'cronjob', TYPES.cronJobs, cronJob('x')],
    ] as const)(
      'of %s emits present objects, new ones, and those that stop to match its filter',
      async (...row) => {
        const [, world, rpc, field, type, manifest] = row
        const { calls } = world as ManagedWorld<typeof CoreService>
        const make = (name: string) =>
          core.create(core.control, type, { ...manifest, metadata: { name, labels: { follow: field } } })
        await make('seen-a')
        const request = { ...whole(), labelSelector: `follow=${field}`, name: 'seen' }
        const { rest, grpc } = calls.follow(rpc as 'watchSecrets', request)
        try {
          for (const one of [rest, grpc]) await told(one, 3, field)
          await make('seen-b')
          const second = { name: 'seen-b', ...(field !== 'namespace' && { namespace: 'default' }) }
          await core.patch(core.control, type, second, { metadata: { labels: { follow: null } } })
          for (const one of [rest, grpc])
            expect(await told(one, 5, field)).toEqual([
              ['RESET', 0, undefined],
              ['ADDED', 1, 'seen-a'],
              ['BOOKMARK', 1, undefined],
              ['ADDED', 2, 'seen-b'],
              ['LEFT', 1, 'seen-b'],
            ])
        } finally {
          rest.close()
          grpc.close()
        }
      },
    )

    it.each([
      ['ConfigMaps', core, 'watchConfigMaps', 'configMap', TYPES.configMaps, object('ConfigMap', 'x')],
      ['Deployments', apps, 'watchDeployments', 'deployment', TYPES.deployments, deployment('x')],
    ] as const)('of %s goes on after its last token', async (...row) => {
      const [, world, rpc, field, type, manifest] = row
      const { calls } = world as ManagedWorld<typeof CoreService>
      const make = (name: string) =>
        core.create(core.control, type, { ...manifest, metadata: { name, labels: { resume: field } } })
      await make('stays')
      await make('goes')
      const request = { ...whole(), labelSelector: `resume=${field}` }
      const before = calls.follow(rpc as 'watchConfigMaps', request)
      const wires = ['rest', 'grpc'] as const
      const tokens: string[] = []
      try {
        for (const wire of wires) {
          await told(before[wire], 4, field)
          tokens.push(before[wire].steps[3]?.resumeToken as string)
        }
      } finally {
        for (const wire of wires) before[wire].close()
      }
      await make('comes')
      await core.remove(core.control, type, key('goes'))
      for (const resumeToken of tokens) {
        const { rest, grpc } = calls.follow(rpc as 'watchConfigMaps', { ...request, resumeToken })
        try {
          for (const one of [rest, grpc])
            expect(await told(one, 3, field)).toEqual([
              ['BOOKMARK', 2, undefined],
              ['ADDED', 3, 'comes'],
              ['DELETED', 2, 'goes'],
            ])
        } finally {
          rest.close()
          grpc.close()
        }
      }
      const other = calls.follow(rpc as 'watchConfigMaps', { ...whole(), resumeToken: tokens[0] ?? '' })
      try {
        for (const wire of wires) expect((await told(other[wire], 1, field))[0]?.[0]).toBe('RESET')
      } finally {
        for (const wire of wires) other[wire].close()
      }
      const refused = await calls.overRest(rpc as 'watchConfigMaps', { ...request, resumeToken: 'mine' })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    })

    it('of Secrets has no values, and is refused for callers who may not list them', async () => {
      const stringData = { password: 'c4n4ry-followed' }
      await core.create(core.control, TYPES.secrets, object('Secret', 'hidden', { stringData }))
      const { rest, grpc } = core.calls.follow('watchSecrets', { ...whole(), name: 'hidden' })
      try {
        for (const one of [rest, grpc]) {
          await told(one, 3, 'secret')
          expect(one.steps[1]).toMatchObject({ secret: { data: { password: '' } } })
          expect(one.text()).not.toContain(Buffer.from(stringData.password).toString('base64'))
        }
      } finally {
        rest.close()
        grpc.close()
      }
      expect((await core.viewer.overRest('watchSecrets', whole())).json.code).toBe(7)
    })

    it('of Services filters by type and by workload', async () => {
      await core.create(core.control, TYPES.deployments, deployment('followed'))
      const make = (name: string, spec: object) =>
        core.create(core.control, TYPES.services, object('Service', name, { spec: { ports, ...spec } }))
      await make('for-it', { selector: { app: 'followed' }, type: 'NodePort' })
      await make('for-it-inside', { selector: { app: 'followed' } })
      await make('for-other', { selector: { app: 'other' }, type: 'NodePort' })
      const request = { ...whole(), namespace: 'default', kind: 'Deployment', kindName: 'followed' }
      const { rest, grpc } = core.calls.follow('watchServices', { ...request, type: ['NodePort'] })
      try {
        expect(await told(rest, 3, 'service')).toEqual([
          ['RESET', 0, undefined],
          ['ADDED', 1, 'for-it'],
          ['BOOKMARK', 1, undefined],
        ])
        const inside = { spec: { type: 'ClusterIP' } }
        await core.patch(core.control, TYPES.services, key('for-it'), inside)
        expect((await told(rest, 4, 'service'))[3]).toEqual(['LEFT', 0, 'for-it'])
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('of events filters by their object', async () => {
      const request = { ...whole(), kind: 'Followed', kindName: 'it', type: ['Warning'] }
      const { rest, grpc } = core.calls.follow('watchEvents', request)
      const happens = (name: string, about: string, type: string) =>
        core.create(core.control, TYPES.events, {
          ...object('Event', name),
          involvedObject: { kind: 'Followed', name: about, namespace: 'default' },
          ...{ message: name, type, reason: 'Tested', source: { component: 'test' } },
        })
      try {
        for (const one of [rest, grpc]) await told(one, 2, 'event')
        await happens('followed-1', 'it', 'Normal')
        await happens('followed-2', 'other', 'Warning')
        await happens('followed-3', 'it', 'Warning')
        for (const one of [rest, grpc])
          expect(await told(one, 3, 'event')).toEqual([...EMPTY, ['ADDED', 1, 'followed-3']])
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('of events is refused with two names of one object', async () => {
      const refused = await core.calls.overRest('watchEvents', { ...whole(), name: 'a', kindName: 'b' })
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect(refused.json.message).toBe('kindName: is "b", but must be as name, "a", or empty')
    })

    it.each([
      ['the control plane', 'watchNamespaceSummary'],
      ['a member', 'watchMemberClusterNamespaceSummary'],
    ] as const)('of names of namespaces of %s marks those of the system', async (_, rpc) => {
      const [cluster = ''] = core.members
      const isMember = rpc === 'watchMemberClusterNamespaceSummary'
      const at = { ...whole(), ...(isMember && { cluster }) }
      const { rest, grpc } = core.calls.follow(rpc, at)
      const summaries = ({ steps }: Following) =>
        steps.flatMap(({ type, namespace }) => (namespace ? [{ type, ...(namespace as object) }] : []))
      const has = (what: object) =>
        eventually(JSON.stringify(what), () => {
          for (const one of [rest, grpc]) expect(summaries(one)).toContainEqual(what)
          return true
        })
      try {
        await has({ type: 'ADDED', ...at, name: 'kube-system', system: true })
        const api = isMember ? core.member(cluster).local : core.control
        const name = isMember ? 'summed-there' : 'summed'
        await core.create(api, TYPES.namespaces, object('Namespace', name))
        await has({ type: 'ADDED', ...at, name, system: false })
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('of ingress classes of a member says which is the default', async () => {
      const [cluster = ''] = core.members
      const request = { ...whole(), cluster }
      const rpc = 'watchIngressClassForMemberCluster'
      await whileFollowing(networking.calls, rpc, request, 'ingressClass', async told => {
        expect(await told(2)).toEqual(EMPTY)
        const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' }
        const metadata = { name: 'followed', annotations }
        const spec = { controller: 'example.io/ingress' }
        await core.create(core.member(cluster).local, TYPES.ingressClasses, { metadata, spec })
        expect((await told(3))[2]).toEqual(['ADDED', 1, 'followed'])
        const { items } = await networking.calls.read('listIngressClassForMemberCluster', request)
        const { rest, grpc } = networking.calls.follow(rpc, request)
        try {
          for (const one of [rest, grpc]) {
            await eventually('it is whole', () => one.steps[2], { story: one.text })
            expect([one.steps[1]?.ingressClass]).toEqual(items)
          }
          expect(items).toEqual([{ name: 'followed', isDefaultClass: true }])
        } finally {
          rest.close()
          grpc.close()
        }
      })
    })

    it('of Ingresses of a member is read there', async () => {
      const [cluster = ''] = core.members
      const request = { ...whole(), cluster, name: 'member-only' }
      await whileFollowing(networking.calls, 'watchIngresses', request, 'ingress', async told => {
        expect(await told(2)).toEqual(EMPTY)
        const backend = { service: { name: 'web', port: { number: 80 } } }
        const ingress = (name: string) => ({ metadata: { name }, spec: { defaultBackend: backend } })
        await core.create(core.control, TYPES.ingresses, ingress('member-only-not'))
        await core.create(core.member(cluster).local, TYPES.ingresses, ingress('member-only'))
        expect((await told(3))[2]).toEqual(['ADDED', 1, 'member-only'])
      })
    })

    it('of Pods follows a workload of a member through its rollouts, by phase', async () => {
      const [cluster = ''] = core.members
      const { local } = core.member(cluster)
      await core.create(core.control, TYPES.namespaces, object('Namespace', 'rolling'))
      await core.in(cluster, TYPES.namespaces, { name: 'rolling' })
      await core.create(local, TYPES.pods, object('Pod', 'alone', { spec: { containers } }), 'rolling')
      await core.create(local, TYPES.deployments, deployment('roll', { replicas: 1 }), 'rolling')
      const request = { ...whole(), cluster, namespace: 'rolling', kind: 'Deployment', kindName: 'roll' }
      const { rest, grpc } = core.calls.follow('watchPods', { ...request, phase: 'Running' })
      const added = () =>
        rest.steps
          .filter(({ type }) => type === 'ADDED')
          .map(({ pod }) => (pod as { metadata: { name: string; cluster: string } }).metadata)
      try {
        await eventually('one pod runs', () => added().length === 1, { story: rest.text })
        expect(added()[0]).toMatchObject({ cluster })
        const template = { metadata: { annotations: { version: '2' } } }
        await core.patch(local, TYPES.deployments, key('roll', 'rolling'), { spec: { template } })
        await eventually('the pod of the next ReplicaSet runs', () => added().length === 2, {
          story: rest.text,
        })
        const [first, second] = added()
        await eventually(
          'the first is over',
          () =>
            rest.steps.some(
              ({ type, total, pod }) =>
                (type === 'DELETED' || type === 'LEFT') &&
                total === 1 &&
                (pod as { metadata: object }).metadata !== undefined &&
                (pod as { metadata: { name: string } }).metadata.name === first!.name,
            ),
          { story: rest.text },
        )
        expect(second!.name).not.toBe(first!.name)
        expect(rest.text()).not.toContain('"alone"')
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it('of Deployments emits each change of clusters, and filters by state', async () => {
      const [, down = ''] = core.members
      const request = { ...whole(), namespace: 'default', name: 'wanders' }
      const all = apps.calls.follow('watchDeployments', request)
      const running = apps.calls.follow('watchDeployments', { ...request, phase: 'WORKLOAD_STATE_RUNNING' })
      const both = [all.rest, all.grpc, running.rest, running.grpc]
      type Shown = { status: { state: string; clusters: { name: string; reachable: boolean }[] } }
      const last = ({ steps }: Following) => {
        const { status } = (steps.at(-1)!.deployment ?? { status: { clusters: [] } }) as unknown as Shown
        const clusters = status.clusters.filter(({ reachable }) => reachable).map(({ name }) => name)
        return { type: steps.at(-1)!.type, total: steps.at(-1)!.total, clusters }
      }
      const tell = (wanted: object, ...streams: Following[]) =>
        eventually(
          JSON.stringify(wanted),
          () =>
            streams.every(one =>
              Object.entries(wanted).every(
                ([field, value]) => String(last(one)[field as 'type']) === String(value),
              ),
            ),
          { story: () => streams.map(({ text }) => text()).join('\n') },
        )
      try {
        for (const one of both) expect(await told(one, 2, 'deployment')).toEqual(EMPTY)
        await core.create(core.control, TYPES.deployments, deployment('wanders', { replicas: 1 }))
        await tell({ type: 'ADDED', total: 1, clusters: [] }, all.rest, all.grpc)
        await core.place('Deployment', 'wanders', {
          apiVersion: 'apps/v1',
          more: { placement: { clusterAffinity: { clusterNames: [down] } } },
        })
        await tell({ type: 'MODIFIED', total: 1, clusters: [down] }, all.rest, all.grpc)
        await tell({ total: 1, clusters: [down] }, running.rest, running.grpc)
        const restore = core.member(down).interrupt({ kind: 'refuseConnections' })
        try {
          await tell({ type: 'MODIFIED', total: 1, clusters: [] }, all.rest, all.grpc)
          await tell({ type: 'LEFT', total: 0, clusters: [] }, running.rest, running.grpc)
        } finally {
          restore()
        }
        await tell({ total: 1, clusters: [down] }, running.rest, running.grpc)
        await core.remove(core.control, TYPES.deployments, key('wanders'))
        await tell({ type: 'DELETED', total: 0 }, all.rest, all.grpc)
      } finally {
        for (const one of both) one.close()
      }
    })

    it('of bindings and Works follows one template to its clusters', async () => {
      const [cluster = ''] = core.members
      const template = { kind: 'ConfigMap', kindName: 'goes-out' }
      const bindings = propagation.calls.follow('watchResourceBindings', { ...whole(), ...template })
      const works = propagation.calls.follow('watchWorks', {
        ...whole(),
        ...template,
        targetCluster: cluster,
      })
      const placed = (one: Following) =>
        one.steps.some(({ resourceBinding: found }) =>
          (found as { spec: { clusters: { name: string }[] } } | null | undefined)?.spec.clusters.some(
            ({ name }) => name === cluster,
          ),
        )
      try {
        for (const one of [bindings.rest, bindings.grpc]) await told(one, 2, 'resourceBinding')
        for (const one of [works.rest, works.grpc]) await told(one, 2, 'work')
        await core.create(core.control, TYPES.configMaps, object('ConfigMap', 'goes-out'))
        await core.place('ConfigMap', 'goes-out')
        for (const one of [bindings.rest, bindings.grpc]) {
          expect((await told(one, 3, 'resourceBinding'))[2]).toEqual(['ADDED', 1, 'goes-out-configmap'])
          await eventually('it is placed', () => placed(one), { story: one.text })
        }
        for (const one of [works.rest, works.grpc]) {
          expect((await told(one, 3, 'work'))[2]?.slice(0, 2)).toEqual(['ADDED', 1])
          expect(one.steps[2]).toMatchObject({ work: { targetCluster: cluster } })
        }
      } finally {
        for (const one of [bindings.rest, bindings.grpc, works.rest, works.grpc]) one.close()
      }
    })

    it('works in a member', async () => {
      const [cluster = ''] = core.members
      const { rest, grpc } = core.calls.follow('watchConfigMaps', { ...whole(), cluster, name: 'there' })
      try {
        for (const one of [rest, grpc]) expect(await told(one, 2, 'configMap')).toEqual(EMPTY)
        await core.create(core.member(cluster).local, TYPES.configMaps, object('ConfigMap', 'over-there'))
        for (const one of [rest, grpc]) {
          expect((await told(one, 3, 'configMap'))[2]).toEqual(['ADDED', 1, 'over-there'])
          expect(one.steps[2]).toMatchObject({ configMap: { metadata: { cluster } } })
        }
      } finally {
        rest.close()
        grpc.close()
      }
    })

    it.each<[string, JsonObject, number]>([
      ['a phase that there is not', { phase: 'Up' }, 3],
      ['labels that are none', { labelSelector: 'a in (' }, 3],
      ['a kind without a name', { kind: 'Deployment' }, 3],
      ['a workload without a namespace', { kind: 'Deployment', kindName: 'web' }, 3],
      ['a member that is not there', { cluster: 'nowhere' }, 5],
    ])('is refused with %s', async (_, more, code) => {
      const [cluster = ''] = core.members
      const refused = await core.calls.overRest('watchPods', { ...whole(), cluster, ...more })
      expect(refused).toMatchObject({ ok: false, json: { code } })
    })
  })
}
