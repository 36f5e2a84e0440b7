import { describe, expect, it } from 'vitest'
import type { WorkloadService } from '../../../../proto/gen/kairship/workload_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesIn, requestsTo } from '../requests.js'
import { deployment } from './deployments-in.js'

/** The manifest of a StatefulSet with two replicas. */
export const statefulSet = (name: string, spec: object = {}) => ({
  ...deployment(name, { replicas: 2, serviceName: name, ...spec }),
  kind: 'StatefulSet',
})

/** StatefulSets of an instance. */
export function statefulSetCases(world: ManagedWorld<typeof WorkloadService>): void {
  const { at, named } = requestsTo(world)
  const create = (name: string, spec?: object) =>
    world.calls.rest('createStatefulSet', { ...at(), data: JSON.stringify(statefulSet(name, spec)) })
  const running = (name: string, ready: number) =>
    eventually(`${name} has ${ready} ready replicas`, async () => {
      const shown = await world.calls.rest('getStatefulSet', named(name))
      const { state, readyReplicas } = shown.status
      return state === 'WORKLOAD_STATE_RUNNING' && readyReplicas === ready && shown
    })

  describe('a StatefulSet of an instance', () => {
    it('runs in both members, is scaled and restarted there, and is deleted there', async () => {
      await world.place('StatefulSet', 'db', { apiVersion: 'apps/v1' })
      await create('db')
      const shown = await running('db', 4)
      expect(shown.status.clusters).toMatchObject(
        world.members.map(name => ({ name, applied: true, replicas: 2, readyReplicas: 2 })),
      )
      expect((await world.calls.read('getStatefulSet', named('db'))).spec).toEqual(shown.spec)

      const scaled = await world.calls.rest('scaleStatefulSet', { ...named('db'), replicas: 1 })
      expect(scaled.spec.replicas).toBe(1)
      await running('db', 2)

      const [member] = world.members as [string]
      const pod = () =>
        world.find(world.member(member).local, TYPES.pods, { namespace: 'default', name: 'db-0' })
      const before = await pod()
      const restarted = await world.calls.rest('restartStatefulSet', named('db'))
      expect(restarted.metadata.name).toBe('db')
      await eventually('another pod of the same name', async () => {
        const now = await pod()
        return now !== undefined && now.metadata.uid !== before?.metadata.uid
      })

      expect(await world.calls.rest('deleteStatefulSet', named('db'))).toEqual({})
      for (const member of world.members)
        await world.gone(member, TYPES.statefulSets, { namespace: 'default', name: 'db' })
      expect((await world.calls.both('getStatefulSet', named('db'))).json.code).toBe(5)
    })

    it('is listed by namespace, part of its name, labels and state', async () => {
      await create('listed-one')
      await create('listed-two', { replicas: 0 })
      const listed = async (request: object) =>
        namesIn((await world.calls.read('listStatefulSets', { instance: world.instance, ...request })).items)
      expect(await listed({ namespace: 'default', name: 'listed' })).toEqual(['listed-one', 'listed-two'])
      expect(await listed({ namespace: 'kube-system', name: 'listed' })).toEqual([])
      expect(await listed({ labelSelector: 'app=listed-two' })).toEqual(['listed-two'])
      expect(await listed({ name: 'listed', phase: 'WORKLOAD_STATE_STOPPED' })).toEqual(['listed-two'])
      expect(await listed({ name: 'listed', phase: 'WORKLOAD_STATE_WAITING' })).toEqual(['listed-one'])
    })

    it('is updated with the manifest that was read, patched, and returned as JSON', async () => {
      await create('kept', { minReadySeconds: 7 })
      const read = JSON.parse((await world.calls.read('getStatefulSetJSON', named('kept'))).data)
      const data = JSON.stringify({ ...read, spec: { ...read.spec, replicas: 0 } })
      const updated = JSON.parse(
        (await world.calls.rest('updateStatefulSet', { ...named('kept'), data })).data,
      )
      expect(updated.spec).toMatchObject({ replicas: 0, minReadySeconds: 7, serviceName: 'kept' })
      const again = await world.calls.overRest('updateStatefulSet', { ...named('kept'), data })
      expect(again).toMatchObject({ ok: false, json: { code: 10 } })
      const patch = JSON.stringify({ metadata: { labels: { colour: 'green' } } })
      const patched = await world.calls.rest('patchStatefulSet', { ...named('kept'), data: patch })
      expect(JSON.parse(patched.data).metadata.labels).toEqual({ app: 'kept', colour: 'green' })
    })

    it('is not restarted with the strategy OnDelete, nor scaled to an invalid number of replicas', async () => {
      await create('still', { updateStrategy: { type: 'OnDelete' } })
      const refused = await world.calls.both('restartStatefulSet', named('still'))
      expect(refused).toMatchObject({ ok: false, json: { code: 9 } })
      expect(refused.json.message).toContain('OnDelete')
      for (const request of [named('still'), { ...named('still'), replicas: -1 }]) {
        const scaled = await world.calls.both('scaleStatefulSet', request)
        expect(scaled).toMatchObject({ ok: false, json: { code: 3 } })
        expect(scaled.text).toContain('replicas')
      }
      expect((await world.calls.read('getStatefulSet', named('still'))).spec.replicas).toBe(2)
    })

    it('is shown to a caller that may only read, and refuses its changes', async () => {
      await create('shown')
      expect(
        namesIn((await world.viewer.read('listStatefulSets', { ...at(), name: 'shown' })).items),
      ).toEqual(['shown'])
      expect(
        (await world.viewer.both('scaleStatefulSet', { ...named('shown'), replicas: 9 })).json.code,
      ).toBe(7)
      expect((await world.viewer.both('restartStatefulSet', named('shown'))).json.code).toBe(7)
      expect((await world.viewer.both('deleteStatefulSet', named('shown'))).json.code).toBe(7)
      expect((await world.calls.read('getStatefulSet', named('shown'))).spec.replicas).toBe(2)
    })
  })
}
