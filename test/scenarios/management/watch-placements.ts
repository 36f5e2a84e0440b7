import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { PropagationService } from '../../../proto/gen/kairship/propagation_pb.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { type ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, told } from '../support/while-following.js'
import { deployment } from './apps/deployments-in.js'
import { object } from './requests.js'

interface Worlds {
  readonly core: ManagedWorld<typeof CoreService>
  readonly apps: ManagedWorld<typeof AppsService>
  readonly propagation: ManagedWorld<typeof PropagationService>
}
/** How templates come to their clusters, in lists that are followed. */
export function watchPlacementCases({ core, apps, propagation }: Worlds): void {
  const key = (name: string, namespace = 'default') => ({ namespace, name })
  const whole = () => ({ instance: core.instance })

  describe('a list that is followed', () => {
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
  })
}
