import { describe, expect, it } from 'vitest'
import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesIn, requestsTo } from '../requests.js'
import { deploymentsIn } from './deployments-in.js'

/** Deployments of an instance. */
export function deploymentCases(world: ManagedWorld<typeof AppsService>): void {
  const { at, named } = requestsTo(world)
  const { create, run } = deploymentsIn(world)

  describe('a Deployment of an instance', () => {
    it('is created from YAML in the namespace of the path, and the same over REST and gRPC', async () => {
      const data = `apiVersion: apps/v1
kind: Deployment
metadata: {name: yaml, namespace: elsewhere, labels: {size: "08"}}
spec:
  selector: {matchLabels: {app: yaml}}
  template:
    metadata: {labels: {app: yaml}}
    spec: {containers: [{name: main, image: "nginx:1.27"}]}
`
      const stored = JSON.parse((await world.calls.rest('createDeployment', { ...at(), data })).data)
      expect(stored.metadata).toMatchObject({ name: 'yaml', namespace: 'default', labels: { size: '08' } })
      const shown = await world.calls.read('getDeployment', named('yaml'))
      expect(shown).toMatchObject({
        metadata: { name: 'yaml', cluster: '', uid: stored.metadata.uid },
        spec: { replicas: 1, template: { spec: { containers: [{ image: 'nginx:1.27' }] } } },
        status: { state: 'WORKLOAD_STATE_WAITING', clusters: [] },
      })
      const { data: json } = await world.calls.read('getDeploymentJSON', named('yaml'))
      expect(JSON.parse(json)).toMatchObject({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        spec: { replicas: 1 },
      })
    })

    it('shows its clusters with replicas and health, alone and in lists', async () => {
      const shown = await run('spread')
      expect(shown.status).toMatchObject({ desiredReplicas: 4, readyReplicas: 4, availableReplicas: 4 })
      expect(shown.status.clusters).toMatchObject(
        world.members.map(name => ({
          name,
          applied: true,
          replicas: 2,
          readyReplicas: 2,
          health: 'Healthy',
          reachable: true,
        })),
      )
      const listed = await world.calls.read('listDeployments', { ...at(), name: 'spread' })
      expect(listed.items).toMatchObject([{ status: { clusters: shown.status.clusters } }])
      const everywhere = await world.calls.read('listInstanceDeployments', {
        instance: world.instance,
        name: 'spread',
      })
      expect(everywhere.items).toEqual(listed.items)
    })

    it('is updated only at the version that was read, and keeps fields that the API lacks', async () => {
      await create('kept', { minReadySeconds: 7, revisionHistoryLimit: 3 }, { annotations: { note: 'mine' } })
      const { data } = await world.calls.read('getDeploymentJSON', named('kept'))
      const read = JSON.parse(data)
      const change = (replicas: number) =>
        world.calls.overRest('updateDeployment', {
          ...named('kept'),
          data: JSON.stringify({ ...read, spec: { ...read.spec, replicas } }),
        })
      const first = await change(2)
      expect(first.ok, first.text).toBe(true)
      expect(JSON.parse(first.json.data)).toMatchObject({
        metadata: { annotations: { note: 'mine' } },
        spec: { replicas: 2, minReadySeconds: 7, revisionHistoryLimit: 3 },
      })
      const second = await change(5)
      expect(second).toMatchObject({ ok: false, json: { code: 10 } })
      expect((await world.calls.read('getDeployment', named('kept'))).spec.replicas).toBe(2)
    })

    it('is patched: named values change, null removes, a list is replaced', async () => {
      await create('patched', {}, { annotations: { a: '1', b: '2' } })
      const data = JSON.stringify({
        metadata: { annotations: { a: null, c: '3' } },
        spec: { replicas: 1, template: { spec: { containers: [{ name: 'other', image: 'web:2' }] } } },
      })
      const patched = JSON.parse(
        (await world.calls.rest('patchDeployment', { ...named('patched'), data })).data,
      )
      expect(patched.metadata.annotations).toEqual({ b: '2', c: '3' })
      expect(patched.spec).toMatchObject({ replicas: 1, selector: { matchLabels: { app: 'patched' } } })
      expect(patched.spec.template.spec.containers).toHaveLength(1)
    })

    it('is paused, restarted only after it is resumed, and restarted in every member', async () => {
      await run('again')
      const paused = await world.calls.rest('pauseDeployment', named('again'))
      expect(paused.deployment).toMatchObject({ metadata: { name: 'again' }, spec: { paused: true } })
      expect(paused.deployment.status.clusters.length).toBe(2)
      const refused = await world.calls.both('restartDeployment', named('again'))
      expect(refused).toMatchObject({ ok: false, json: { code: 9 } })
      expect(refused.json.message).toContain('resume it first')
      const resumed = await world.calls.rest('resumeDeployment', named('again'))
      expect(resumed.deployment.spec.paused).toBe(false)

      const before = await Promise.all(world.members.map(member => podNames(world, member, 'again')))
      const restarted = await world.calls.rest('restartDeployment', named('again'))
      const { annotations } = restarted.deployment.spec.template.metadata
      expect(Date.parse(annotations['kubectl.kubernetes.io/restartedAt'])).toBeGreaterThan(0)
      await eventually('other pods in both members', async () => {
        const now = await Promise.all(world.members.map(member => podNames(world, member, 'again')))
        return now.every(
          (pods, index) => pods.length === 2 && !pods.some(pod => before[index]!.includes(pod)),
        )
      })
    })

    it('is scaled in its members', async () => {
      await run('scaled')
      const scaled = await world.calls.rest('scaleDeployment', { ...named('scaled'), replicas: 6 })
      expect(scaled.deployment.spec.replicas).toBe(6)
      await eventually('six ready replicas', async () => {
        const { status } = await world.calls.rest('getDeployment', named('scaled'))
        return status.readyReplicas === 6 && status.desiredReplicas === 6
      })
      const refused = await world.calls.both('scaleDeployment', named('scaled'))
      expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
      expect((await world.calls.read('getDeployment', named('scaled'))).spec.replicas).toBe(6)
    })

    it('is removed from the members when it is deleted, and then gives NOT_FOUND', async () => {
      await run('gone')
      expect(await world.calls.rest('deleteDeployment', named('gone'))).toEqual({})
      for (const member of world.members)
        await world.gone(member, TYPES.deployments, { namespace: 'default', name: 'gone' })
      expect(await world.calls.both('getDeployment', named('gone'))).toMatchObject({
        ok: false,
        json: { code: 5 },
      })
      expect((await world.calls.both('deleteDeployment', named('gone'))).json.code).toBe(5)
    })
  })
}

async function podNames(
  world: ManagedWorld<typeof AppsService>,
  member: string,
  app: string,
): Promise<string[]> {
  const { items } = await world.member(member).local.request<{ items: { metadata: { name: string } }[] }>({
    method: 'GET',
    path: '/api/v1/namespaces/default/pods',
    query: { labelSelector: `app=${app}` },
  })
  return namesIn(items)
}
