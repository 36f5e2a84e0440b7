import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { data, namesOf, object, requestsTo } from '../requests.js'

/** ConfigMaps of an instance. */
export function configMapCases(world: ManagedWorld<typeof CoreService>): void {
  const { at, named, whole } = requestsTo(world)

  describe('a ConfigMap of an instance', () => {
    it('is created from YAML, read, listed by labels and namespace, and deleted', async () => {
      const yaml =
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\n  labels: {team: blue}\ndata: {sky: "08"}\n'
      await world.calls.rest('createConfigMap', { ...at(), data: yaml })
      expect(await world.calls.read('getConfigMap', named('colors'))).toMatchObject({
        metadata: { name: 'colors', namespace: 'default' },
        data: { sky: '08' },
        binaryData: {},
        immutable: false,
        status: { clusters: [] },
      })
      expect(JSON.parse((await world.calls.read('getConfigMapJSON', named('colors'))).data)).toMatchObject({
        kind: 'ConfigMap',
        data: { sky: '08' },
      })
      const list = { labelSelector: 'team=blue', name: 'olor' }
      expect(namesOf(await world.calls.read('listConfigMaps', { ...at(), ...list }))).toEqual(['colors'])
      expect(namesOf(await world.calls.read('listInstanceConfigMaps', { ...whole(), ...list }))).toEqual([
        'colors',
      ])
      expect(
        namesOf(
          await world.calls.read('listInstanceConfigMaps', { ...whole(), ...list, namespace: 'kube-system' }),
        ),
      ).toEqual([])
      expect(await world.calls.rest('deleteConfigMap', named('colors'))).toEqual({})
      expect((await world.calls.both('getConfigMap', named('colors'))).json.code).toBe(5)
    })

    it('is patched by key and replaced only at the version that was read', async () => {
      await world.calls.rest('createConfigMap', {
        ...at(),
        data: data(object('ConfigMap', 'keys', { data: { a: '1', b: '2' } })),
      })
      const read = JSON.parse((await world.calls.read('getConfigMapJSON', named('keys'))).data)
      const patched = await world.calls.rest('patchConfigMap', { ...named('keys'), data: { b: '3', c: '4' } })
      expect(JSON.parse(patched.data).data).toEqual({ a: '1', b: '3', c: '4' })
      const stale = { ...named('keys'), data: data({ ...read, data: {} }) }
      expect((await world.calls.both('updateConfigMap', stale)).json.code).toBe(10)
      const { resourceVersion: _, ...metadata } = read.metadata
      const whatever = { ...named('keys'), data: data({ ...read, metadata, data: { d: '5' } }) }
      expect(JSON.parse((await world.calls.rest('updateConfigMap', whatever)).data).data).toEqual({ d: '5' })
      expect((await world.calls.read('getConfigMap', named('keys'))).data).toEqual({ d: '5' })
    })

    it('shows the clusters of its workload', async () => {
      const apps = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'along' } }
      await world.create(world.control, TYPES.configMaps, object('ConfigMap', 'along', { data: { a: '1' } }))
      await world.place('Deployment', 'along', { apiVersion: 'apps/v1', more: { propagateDeps: true } })
      const main = { name: 'main', image: 'nginx', envFrom: [{ configMapRef: { name: 'along' } }] }
      await world.create(world.control, TYPES.deployments, {
        ...apps,
        spec: {
          selector: { matchLabels: { app: 'along' } },
          template: { metadata: { labels: { app: 'along' } }, spec: { containers: [main] } },
        },
      })
      await eventually('both members have the ConfigMap', async () => {
        const { status } = await world.calls.rest('getConfigMap', named('along'))
        return status.clusters.filter(({ applied }: { applied: boolean }) => applied).length === 2
      })
    })
  })
}
