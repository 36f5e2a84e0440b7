import { deepEqual, equal, notEqual } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'
import { lifeOf, listsOf } from './object-stories.js'
import { cronJob, job } from './workload-manifests.js'

const collection = ({ namespace }: Stage, resource: string) =>
  `/apis/batch/v1/namespaces/${namespace}/${resource}`

/** Scenarios of the Batch service. */
export const batch: ServiceScenarios = {
  service: 'Batch',
  scenarios: [
    lifeOf({
      kind: 'Job',
      manifest: job,
      shows: ({ spec, status }) =>
        deepEqual([spec.completions, spec.suspend, status.phase], [2, true, 'Waiting']),
    }),
    listsOf({
      create: 'CreateJob',
      list: 'ListJobs',
      everywhere: 'ListInstanceJobs',
      manifest: job,
      narrowed: true,
    }),
    {
      proves: ['RestartJob'],
      async run(stage) {
        const { ask, karmada, refused } = stage
        const { metadata } = await karmada('POST', collection(stage, 'jobs'), job('pi'))
        const request = { name: 'pi', resourceVersion: metadata.resourceVersion }
        const { job: restarted } = await ask('RestartJob', request)
        notEqual(restarted.metadata.uid, metadata.uid)
        const stored = await karmada('GET', `${collection(stage, 'jobs')}/pi`)
        deepEqual([stored.metadata.uid, stored.spec.completions], [restarted.metadata.uid, 2])
        equal(await refused('RestartJob', request), 409)
      },
    },
    lifeOf({
      kind: 'CronJob',
      manifest: cronJob,
      shows: ({ spec, images }) =>
        deepEqual([spec.schedule, spec.paused, images], ['*/5 * * * *', false, ['busybox:1.37']]),
      update: {
        change: whole => {
          whole.spec.schedule = '0 0 * * 0'
        },
        changed: ({ spec }) => equal(spec.schedule, '0 0 * * 0'),
        nameless: true,
      },
    }),
    listsOf({
      create: 'CreateCronJob',
      list: 'ListCronJobs',
      everywhere: 'ListInstanceCronJobs',
      manifest: cronJob,
      narrowed: true,
    }),
    {
      proves: ['PauseCronJob', 'ResumeCronJob'],
      async run({ ask }) {
        const key = { name: 'nightly' }
        await ask('CreateCronJob', { data: JSON.stringify(cronJob(key.name)) })
        const paused = await ask('PauseCronJob', { ...key, paused: true })
        deepEqual([paused.cronjob.spec.paused, paused.cronjob.status.phase], [true, 'Stopped'])
        equal((await ask('GetCronJob', key)).spec.paused, true)
        equal((await ask('ResumeCronJob', { ...key, paused: false })).cronjob.spec.paused, false)
        equal((await ask('GetCronJob', key)).spec.paused, false)
      },
    },
    {
      proves: ['ListJobsByCronJobsName'],
      async run(stage) {
        const { ask, inMember, member } = stage
        const { spec, ...of } = cronJob('backup')
        // One that is due would have another Job.
        const suspended = { ...of, spec: { ...spec, suspend: true } }
        const { metadata } = await inMember('POST', collection(stage, 'cronjobs'), suspended)
        const { name, uid } = metadata
        const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }
        for (const [name, ownerReferences] of [
          ['backup-1', [owner]],
          ['by-hand', []],
        ] as const)
          await inMember('POST', collection(stage, 'jobs'), {
            ...job(name),
            metadata: { name, ownerReferences },
          })
        const { Cluster, jobs, pagination } = await ask('ListJobsByCronJobsName', { cronjob: 'backup' })
        deepEqual([Cluster, jobs[0].metadata.name, pagination.total], [member, 'backup-1', 1])
      },
    },
  ],
}
