import type { JsonObject } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import type { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { WorkloadService } from '../../../proto/gen/kairship/workload_pb.js'
import { type ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, told } from '../support/while-following.js'
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
}
/** Lists of each kind that are followed. */
export function watchCases({ core, apps, batch, workloads }: Worlds): void {
  const ports = [{ port: 80 }]
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
