import { describe, expect, it } from 'vitest'
import type { WorkloadService } from '../../../../proto/gen/kairship/workload_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesIn, requestsTo } from '../requests.js'
import { deployment } from './deployments-in.js'

/** The manifest of a DaemonSet. */
export function daemonSet(name: string, spec: object = {}) {
  const { spec: all, ...rest } = deployment(name)
  const { replicas: _, ...own } = all
  return { ...rest, kind: 'DaemonSet', spec: { ...own, ...spec } }
}

/** DaemonSets of an instance. */
export function daemonSetCases(world: ManagedWorld<typeof WorkloadService>): void {
  const { at, named } = requestsTo(world)
  const create = (name: string, spec?: object) =>
    world.calls.rest('createDaemonSet', { ...at(), data: JSON.stringify(daemonSet(name, spec)) })

  describe('a DaemonSet of an instance', () => {
    it('runs on the nodes of both members, is restarted there, and is deleted there', async () => {
      await world.place('DaemonSet', 'agent', { apiVersion: 'apps/v1' })
      await create('agent')
      const shown = await eventually('a ready pod on every node', async () => {
        const shown = await world.calls.rest('getDaemonSet', named('agent'))
        const { state, currentNumberScheduled, desiredNumberScheduled } = shown.status
        // Until a member has reported its nodes, Karmada's sum is 0 of 0.
        if (desiredNumberScheduled < world.members.length) return false
        return (
          state === 'WORKLOAD_STATE_RUNNING' && currentNumberScheduled === desiredNumberScheduled && shown
        )
      })
      const { status } = shown
      expect(status.numberReady).toBe(status.desiredNumberScheduled)
      const perCluster = status.clusters.map(({ readyReplicas }: { readyReplicas: number }) => readyReplicas)
      expect(perCluster.reduce((sum: number, ready: number) => sum + ready, 0)).toBe(status.numberReady)
      expect((await world.calls.read('getDaemonSet', named('agent'))).spec).toEqual(shown.spec)

      const restarted = await world.calls.rest('restartDaemonSet', named('agent'))
      const { annotations } = restarted.spec.template.metadata
      const key = { namespace: 'default', name: 'agent' }
      for (const member of world.members)
        await world.in(member, TYPES.daemonSets, key, ({ spec }) =>
          Object.is(
            spec.template.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'],
            annotations['kubectl.kubernetes.io/restartedAt'],
          ),
        )

      expect(await world.calls.rest('deleteDaemonSet', named('agent'))).toEqual({})
      for (const member of world.members) await world.gone(member, TYPES.daemonSets, key)
    })

    it('is listed, updated, patched and returned as JSON', async () => {
      await create('logs')
      const request = { instance: world.instance, name: 'logs', phase: 'WORKLOAD_STATE_WAITING' }
      expect(namesIn((await world.calls.read('listDaemonSets', request)).items)).toEqual(['logs'])
      const read = JSON.parse((await world.calls.read('getDaemonSetJSON', named('logs'))).data)
      const data = JSON.stringify({ ...read, spec: { ...read.spec, minReadySeconds: 3 } })
      const updated = await world.calls.rest('updateDaemonSet', { ...named('logs'), data })
      expect(JSON.parse(updated.data).spec.minReadySeconds).toBe(3)
      const patch = JSON.stringify({ spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: null } } })
      await world.calls.rest('patchDaemonSet', { ...named('logs'), data: patch })
      const refused = await world.calls.both('restartDaemonSet', named('logs'))
      expect(refused).toMatchObject({ ok: false, json: { code: 9 } })
    })

    it('is not created for a caller that may only read', async () => {
      const data = JSON.stringify(daemonSet('refused'))
      expect((await world.viewer.both('createDaemonSet', { ...at(), data })).json.code).toBe(7)
    })
  })
}
