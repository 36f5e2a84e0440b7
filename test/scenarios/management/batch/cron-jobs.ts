import { describe, expect, it } from 'vitest'
import type { BatchService } from '../../../../proto/gen/kairship/batch_pb.js'
import { eventually } from '../../support/eventually.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { EMPTY, whileFollowing } from '../../support/while-following.js'
import { namesIn, requestsTo } from '../requests.js'
import { cronJob, job, jobsIn } from './jobs-in.js'

/** CronJobs of an instance, and their Jobs in a member. */
export function cronJobCases(world: ManagedWorld<typeof BatchService>): void {
  const { at, named } = requestsTo(world)
  const { createCronJob } = jobsIn(world)

  describe('a CronJob of an instance', () => {
    it('is created, placed, the same over REST and gRPC, and listed by state', async () => {
      await world.place('CronJob', 'report', { apiVersion: 'batch/v1' })
      await createCronJob('report')
      await createCronJob('report-nowhere')
      const shown = await eventually('both members have it', async () => {
        const found = await world.calls.rest('getCronJob', named('report'))
        return found.availed === 2 && found
      })
      expect(shown).toMatchObject({
        spec: { schedule: '*/5 * * * *', paused: false },
        status: { phase: 'Activated', clusters: world.members.map(name => ({ name, applied: true })) },
        total: 2,
        images: ['busybox:1.37'],
      })
      expect(await world.calls.read('getCronJob', named('report'))).toEqual(shown)
      const list = async (rpc: 'listCronJobs' | 'listInstanceCronJobs', more: object) =>
        namesIn((await world.calls.read(rpc, { instance: world.instance, ...more })).items)
      expect(await list('listCronJobs', { ...at(), name: 'report' })).toEqual(['report', 'report-nowhere'])
      expect(await list('listCronJobs', { ...at(), phase: 'Waiting', name: 'report' })).toEqual([
        'report-nowhere',
      ])
      expect(await list('listInstanceCronJobs', { phase: 'Activated', fuzzyName: 'repo' })).toEqual([
        'report',
      ])
    })

    it('is paused and resumed by its verb, unless the body says otherwise', async () => {
      await createCronJob('nightly')
      const change = async (rpc: 'pauseCronJob' | 'resumeCronJob', more: { paused?: boolean }) => {
        const { cronjob } = await world.calls.rest(rpc, { ...named('nightly'), ...more })
        expect(cronjob.spec.paused).toBe((await world.calls.read('getCronJob', named('nightly'))).spec.paused)
        return [cronjob.spec.paused, cronjob.status.phase]
      }
      expect(await change('pauseCronJob', { paused: true })).toEqual([true, 'Stopped'])
      expect(await change('resumeCronJob', { paused: false })).toEqual([false, 'Waiting'])
      expect(await change('pauseCronJob', {})).toEqual([true, 'Stopped'])
      expect(await change('resumeCronJob', {})).toEqual([false, 'Waiting'])
      expect(await change('resumeCronJob', { paused: true })).toEqual([true, 'Stopped'])
    })

    it('is replaced by the manifest that names it, only at the version that was read, with all its fields', async () => {
      await createCronJob('weekly', { successfulJobsHistoryLimit: 7 })
      const read = JSON.parse((await world.calls.read('getCronJobJSON', named('weekly'))).data)
      const put = (manifest: object) =>
        world.calls.overRest('updateCronJob', { ...at(), data: JSON.stringify(manifest) })
      const changed = await put({ ...read, spec: { ...read.spec, schedule: '0 0 * * 0' } })
      expect(changed.ok, changed.text).toBe(true)
      expect(JSON.parse(changed.json.data).spec).toMatchObject({
        schedule: '0 0 * * 0',
        successfulJobsHistoryLimit: 7,
      })
      const target = {
        ...{ instance: world.instance, verb: 'update', group: 'batch', version: 'v1', resource: 'cronjobs' },
        ...{ namespace: 'default', name: 'weekly' },
      }
      expect(world.world.log.audits().at(-1)).toMatchObject({ target, outcome: 'succeeded' })
      expect((await put(read)).json.code).toBe(10)
      expect((await put(cronJob('nobody'))).json.code).toBe(5)
      const { name: _, ...nameless } = read.metadata
      const refused = await put({ ...read, metadata: nameless })
      expect(refused.json.code).toBe(3)
      expect(refused.json.message).toContain('metadata.name')
    })

    it('is followed by a part of its name', async () => {
      const request = { ...at(), fuzzyName: 'lowed-by' }
      await whileFollowing(world.calls, 'watchCronJobs', request, 'cronjob', async told => {
        expect(await told(2)).toEqual(EMPTY)
        await createCronJob('followed-not')
        await createCronJob('followed-by-part')
        expect((await told(3))[2]).toEqual(['ADDED', 1, 'followed-by-part'])
      })
    })

    it('is deleted', async () => {
      await createCronJob('short')
      expect(await world.calls.rest('deleteCronJob', named('short'))).toEqual({})
      expect((await world.calls.both('getCronJob', named('short'))).json.code).toBe(5)
    })
  })

  describe('the Jobs of a CronJob in a member', () => {
    it('are those that it started, and not those of an earlier CronJob with its name', async () => {
      const [cluster = ''] = world.members
      const api = world.member(cluster).local
      const owner = (await world.create(api, TYPES.cronJobs, cronJob('backup'))).metadata
      const started = (name: string, uid: string, controller = true) =>
        world.create(
          api,
          TYPES.jobs,
          job(
            name,
            { suspend: true },
            {
              ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', uid, controller }],
            },
          ),
        )
      await started('backup-1', owner.uid!)
      await started('backup-2', owner.uid!)
      await started('backup-old', '00000000-0000-0000-0000-000000000000')
      await world.create(api, TYPES.jobs, job('backup-by-hand'))
      const list = (more: object) =>
        world.calls.read('listJobsByCronJobsName', {
          ...at(),
          cluster,
          cronjob: 'backup',
          ...more,
        })
      const all = await list({})
      expect(all).toMatchObject({ Cluster: cluster, pagination: { total: 2 } })
      expect(namesIn(all.jobs)).toEqual(['backup-1', 'backup-2'])
      expect(all.jobs[0].metadata.cluster).toBe(cluster)
      expect(namesIn((await list({ page: 2, pageSize: 1 })).jobs)).toEqual(['backup-2'])
      expect(namesIn((await list({ fuzzyName: 'p-1' })).jobs)).toEqual(['backup-1'])
      expect(namesIn((await list({ phase: 'Waiting' })).jobs)).toEqual(['backup-1', 'backup-2'])
      expect(namesIn((await list({ phase: 'Completed' })).jobs)).toEqual([])
      expect(
        await world.calls.both('listJobsByCronJobsName', { ...at(), cluster, cronjob: 'nobody' }),
      ).toMatchObject({ ok: false, json: { code: 5 } })
    })

    it('are followed', async () => {
      const [cluster = ''] = world.members
      const api = world.member(cluster).local
      const owner = (await world.create(api, TYPES.cronJobs, cronJob('followed'))).metadata
      const started = (name: string, uid: string) =>
        world.create(
          api,
          TYPES.jobs,
          job(
            name,
            { suspend: true },
            {
              ownerReferences: [
                { apiVersion: 'batch/v1', kind: 'CronJob', name: 'followed', uid, controller: true },
              ],
            },
          ),
        )
      const request = { ...at(), cluster, cronjob: 'followed', fuzzyName: 'wed-' }
      await whileFollowing(world.calls, 'watchJobs', request, 'job', async told => {
        expect(await told(2)).toEqual(EMPTY)
        await started('followed-old', '00000000-0000-0000-0000-000000000000')
        await world.create(api, TYPES.jobs, job('followed-by-hand'))
        await started('other', owner.uid!)
        await started('followed-1', owner.uid!)
        expect((await told(3))[2]).toEqual(['ADDED', 1, 'followed-1'])
      })
      const absent = { ...at(), cluster, cronjob: 'nobody' }
      expect(await world.calls.overRest('watchJobs', absent)).toMatchObject({ ok: false, json: { code: 5 } })
      const anywhere = { instance: world.instance, cluster, cronjob: 'followed' }
      const refused = await world.calls.overRest('watchJobs', anywhere)
      expect(refused.json.message).toBe('namespace: is required with cronjob: it is the CronJob’s, too')
    })
  })
}
