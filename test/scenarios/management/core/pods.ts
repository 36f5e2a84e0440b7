import { describe, expect, it } from 'vitest'
import type { CoreService } from '../../../../proto/gen/kairship/core_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { namesOf, object, requestsTo } from '../requests.js'

/** Pods of a member. */
export function podCases(world: ManagedWorld<typeof CoreService>): void {
  const { at } = requestsTo(world)

  describe('the pods of a member', () => {
    const container = { name: 'main', image: 'nginx', resources: { requests: { cpu: '100m' } } }

    it('are those of one workload, by owner and not by name', async () => {
      const [cluster = ''] = world.members
      const api = world.member(cluster).local
      const [space, labels] = ['pods', { app: 'web' }]
      await world.create(world.control, TYPES.namespaces, { metadata: { name: space } })
      await world.in(cluster, TYPES.namespaces, { name: space })
      const template = { metadata: { labels }, spec: { containers: [container] } }
      await world.create(
        api,
        TYPES.deployments,
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: { replicas: 2, selector: { matchLabels: labels }, template },
        },
        space,
      )
      await world.create(
        api,
        TYPES.services,
        object('Service', 'web', { spec: { selector: labels, ports: [{ port: 80 }] } }),
        space,
      )
      const jobPods = { restartPolicy: 'Never', containers: [container] }
      const cron = await world.create(
        api,
        TYPES.cronJobs,
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'web' },
          spec: {
            schedule: '* * * * *',
            suspend: true,
            jobTemplate: { spec: { template: { spec: jobPods } } },
          },
        },
        space,
      )
      const owner = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'web',
        uid: cron.metadata.uid!,
        controller: true,
      }
      const run = (name: string, podLabels: object, metadata: object = {}) =>
        world.create(
          api,
          TYPES.jobs,
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            metadata: { name, ...metadata },
            spec: { template: { metadata: { labels: podLabels }, spec: jobPods } },
          },
          space,
        )
      await run('web-1', { app: 'job' }, { ownerReferences: [owner] })
      await run('web', labels)
      await world.create(
        api,
        TYPES.pods,
        object('Pod', 'web-alone', { spec: { containers: [container] } }, { labels }),
        space,
      )
      const list = (more: object) =>
        world.calls.read('listPodsForMemberCluster', { ...at(space), cluster, ...more })
      const of = async (kind: string, kindName = 'web') => namesOf(await list({ kind, kindName }))
      await eventually('two pods of the Deployment run, and one of each Job is there', async () => {
        const { items } = await list({ kind: 'Deployment', kindName: 'web', phase: 'Running' })
        const ofJobs = [await of('Job'), await of('CronJob')]
        return items.length === 2 && ofJobs.every(({ length }) => length === 1)
      })
      const deployed = await of('Deployment')
      expect(deployed).toHaveLength(2)
      const [[ofCronJob = ''], [ofJob = '']] = [await of('CronJob'), await of('Job')]
      expect(ofCronJob).toMatch(/^web-1-/)
      expect(await of('Job', 'web-1')).toEqual([ofCronJob])
      expect(ofJob).not.toBe(ofCronJob)
      expect(await of('StatefulSet')).toEqual([])
      expect(await of('Service')).toEqual([...deployed, 'web-alone', ofJob].sort())
      const all = await list({})
      expect(all.items).toHaveLength(5)
      expect(
        all.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === deployed[0]),
      ).toMatchObject({
        metadata: { cluster },
        status: {
          phase: 'Running',
          cpuRequest: '100',
          containerTotalCount: 1,
          containerReadyCount: 1,
          ownedBy: { kind: 'DEPLOYMENT', name: 'web' },
        },
      })
      expect(namesOf(await list({ name: 'alone' }))).toEqual(['web-alone'])
      expect(namesOf(await list({ labelSelector: 'app=job' }))).toEqual([ofCronJob])
      expect(namesOf(await list({ fieldSelector: 'metadata.name=web-alone' }))).toEqual(['web-alone'])
      expect(
        (await world.calls.both('listPodsForMemberCluster', { ...at(space), cluster, phase: 'Up' })).json
          .code,
      ).toBe(3)
    })
  })
}
