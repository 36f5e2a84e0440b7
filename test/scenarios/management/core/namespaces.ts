import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../../support/eventually.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { data, namesOf, object, requestsTo } from '../requests.js'

/** Namespaces of an instance and its members. */
export function namespaceCases(world: ManagedWorld<typeof CoreService>): void {
  const { whole } = requestsTo(world)

  describe('Namespaces', () => {
    it('are created, wrapped, patched, replaced, listed with system namespaces marked, and deleted', async () => {
      const { namespace } = await world.calls.rest('createNamespace', {
        ...whole(),
        data: data(object('Namespace', 'teams', {}, { labels: { team: 'blue' } })),
      })
      expect(namespace).toMatchObject({
        metadata: { name: 'teams', labels: { team: 'blue' } },
        spec: { Finalizers: ['kubernetes'] },
        system: false,
      })
      const key = { ...whole(), name: 'teams' }
      const patch = { metadata: { labels: { team: 'red' } } }
      const patched = await world.calls.rest('patchNamespace', { ...key, data: data(patch) })
      expect(JSON.parse(patched.data).metadata.labels).toMatchObject({ team: 'red' })
      const read = JSON.parse((await world.calls.read('getNamespaceJSON', key)).data)
      const annotations = { ...read.metadata.annotations, note: 'x' }
      const manifest = { ...read, metadata: { ...read.metadata, annotations } }
      const replaced = await world.calls.rest('updateNamespace', { ...key, data: data(manifest) })
      expect(JSON.parse(replaced.data).metadata.annotations).toMatchObject({ note: 'x' })
      const shown = await world.calls.read('getNamespace', key)
      expect(shown.namespace).toMatchObject({
        metadata: { labels: { team: 'red' } },
        status: { phase: 'Active' },
      })
      const { items } = await world.calls.read('listNamespaces', whole())
      const system = Object.fromEntries(
        items.map((item: { metadata: { name: string }; system: boolean }) => [
          item.metadata.name,
          item.system,
        ]),
      )
      expect(system).toMatchObject({
        teams: false,
        default: false,
        'kube-system': true,
        'karmada-cluster': true,
      })
      expect(namesOf(await world.calls.read('listNamespaces', { ...whole(), name: 'team' }))).toEqual([
        'teams',
      ])
      expect(await world.calls.rest('deleteNamespace', key)).toEqual({})
      await eventually('it is gone', async () => !(await world.calls.overRest('getNamespace', key)).ok)
    })

    it('are summarized for an instance and for a member', async () => {
      const summary = await world.calls.read('listNamespaceSummary', whole())
      expect(summary.accessScope).toBe('Instance')
      expect(summary.data).toContainEqual({ name: 'default', instance: world.instance, system: false })
      expect(summary.data).toContainEqual({ name: 'kube-system', instance: world.instance, system: true })
      const [cluster = ''] = world.members
      const member = await world.calls.read('listMemberClusterNamespaceSummary', { ...whole(), cluster })
      expect(member.data).toContainEqual({
        name: 'kube-system',
        instance: world.instance,
        cluster,
        system: true,
      })
    })

    it('are refused with a namespace, another kind or a malformed name', async () => {
      for (const manifest of [
        object('ConfigMap', 'x'),
        object('Namespace', 'No'),
        object('Namespace', 'x', {}, { namespace: 'y' }),
      ])
        expect(await world.calls.both('createNamespace', { ...whole(), data: data(manifest) })).toMatchObject(
          {
            ok: false,
            json: { code: 3 },
          },
        )
    })
  })
}
