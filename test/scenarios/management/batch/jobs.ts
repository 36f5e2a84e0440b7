import { describe, expect, it } from 'vitest'
import type { BatchService } from '../../../../proto/gen/kairship/batch_pb.js'
import { eventually } from '../../support/eventually.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { namesIn, requestsTo } from '../requests.js'
import { complete, FINISHED_AT, jobsIn } from './jobs-in.js'

/** Jobs of an instance. */
export function jobCases(world: ManagedWorld<typeof BatchService>): void {
  const { at, named } = requestsTo(world)
  const { createJob, report } = jobsIn(world)

  describe('a Job of an instance', () => {
    it('is created, the same over REST and gRPC, listed by name and state, and deleted', async () => {
      await createJob('pi')
      await createJob('pi-done')
      await report('pi-done', complete)
      expect(await world.calls.read('getJob', named('pi'))).toMatchObject({
        metadata: { name: 'pi', namespace: 'default' },
        spec: { parallelism: 2, completions: 4, template: { spec: { restartPolicy: 'Never' } } },
        status: { phase: 'Waiting', clusters: [] },
        executionTimestamp: '0',
      })
      expect(JSON.parse((await world.calls.read('getJobJSON', named('pi'))).data)).toMatchObject({
        apiVersion: 'batch/v1',
        kind: 'Job',
        spec: { backoffLimit: 6 },
      })
      const list = async (more: object) =>
        namesIn((await world.calls.read('listJobs', { ...at(), ...more })).items)
      expect(await list({ name: 'pi' })).toEqual(['pi', 'pi-done'])
      expect(await list({ name: 'pi', phase: 'Completed' })).toEqual(['pi-done'])
      expect(await list({ name: 'pi', sortBy: 'state', sortDir: 'desc' })).toEqual(['pi', 'pi-done'])
      const done = await world.calls.read('getJob', named('pi-done'))
      expect(done).toMatchObject({
        status: { phase: 'Completed', succeed: 4, completionTime: String(Date.parse(FINISHED_AT)) },
        executionTimestamp: String(Date.parse(FINISHED_AT)),
      })
      expect(await world.calls.rest('deleteJob', named('pi-done'))).toEqual({})
      expect((await world.calls.both('getJob', named('pi-done'))).json.code).toBe(5)
    })

    it('is found in the whole instance by namespace, labels, fields and parts of its name', async () => {
      await createJob('labelled', {}, { labels: { team: 'blue' } })
      const list = async (more: object) =>
        namesIn((await world.calls.read('listInstanceJobs', { instance: world.instance, ...more })).items)
      expect(await list({ labelSelector: 'team in (blue,red)' })).toEqual(['labelled'])
      expect(await list({ fieldSelector: 'metadata.name=labelled' })).toEqual(['labelled'])
      expect(await list({ fuzzyName: 'abel', namespace: 'default' })).toEqual(['labelled'])
      expect(await list({ fuzzyName: 'abel', name: 'nope' })).toEqual([])
      expect(await list({ namespace: 'kube-system' })).toEqual([])
    })

    it('is placed by a policy and shows its clusters', async () => {
      await world.place('Job', 'spread', { apiVersion: 'batch/v1' })
      await createJob('spread', { suspend: true })
      const shown = await eventually('it is applied in both members', async () => {
        const found = await world.calls.rest('getJob', named('spread'))
        const { clusters } = found.status
        return (
          clusters.length === 2 && clusters.every(({ applied }: { applied: boolean }) => applied) && found
        )
      })
      expect(namesIn(shown.status.clusters.map((metadata: { name: string }) => ({ metadata })))).toEqual(
        world.members,
      )
      expect(
        (await world.calls.read('listJobs', { ...at(), name: 'spread' })).items[0].status.clusters,
      ).toEqual(shown.status.clusters)
    })
  })
}
