import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { type ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, told, whileFollowing } from '../support/while-following.js'
import { deployment } from './apps/deployments-in.js'
import { object } from './requests.js'

interface Worlds {
  readonly core: ManagedWorld<typeof CoreService>
  readonly networking: ManagedWorld<typeof NetworkingService>
}
/** Filters that only some kinds have, in lists that are followed. */
export function watchFilterCases({ core, networking }: Worlds): void {
  const ports = [{ port: 80 }]
  const containers = [{ name: 'main', image: 'nginx' }]
  const key = (name: string, namespace = 'default') => ({ namespace, name })
  const whole = () => ({ instance: core.instance })

  describe('a list that is followed', () => {
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
  })
}
