import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { type Bench, behaviour, type Group, type Json } from '../../apiserver/behaviour.js'
import { eventsOf, itemsOf, patch, template, timeless, until, workload } from '../workload.js'

async function start(bench: Bench, spec: Json = {}): Promise<{ name: string; path: string }> {
  const name = bench.name('job')
  const path = `/apis/batch/v1/namespaces/${bench.namespace}/jobs`
  const body = { template: template(name, 'example.test/main:1', { restartPolicy: 'Never' }), ...spec }
  await bench.made(path, workload('batch/v1', 'Job', name, body))
  return { name, path: `${path}/${name}` }
}

const condition = (type: string, reason: string, message: string, status = 'True') => ({
  type,
  status,
  reason,
  message,
})

const completed = (bench: Bench, path: string): Promise<Json> =>
  until(bench, path, ({ status }) => expect(status.completionTime).toBeDefined())

export const jobs: Group = {
  name: 'jobs',
  behaviours: [
    behaviour('a Job selects its pods by its uid', async bench => {
      const { path, name } = await start(bench, { suspend: true })
      const { metadata, spec } = bench.ok(await bench.admin.get(path))
      expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } })
      expect(spec.template.metadata.labels).toEqual({
        app: name,
        'batch.kubernetes.io/controller-uid': metadata.uid,
        'batch.kubernetes.io/job-name': name,
        'controller-uid': metadata.uid,
        'job-name': name,
      })
    }),
    behaviour('a Job whose pods have succeeded is complete, and says so', async bench => {
      const { path, name } = await start(bench, { completions: 3, parallelism: 2 })
      const { status } = await completed(bench, path)
      const reached = ['CompletionsReached', 'Reached expected number of succeeded pods'] as const
      expect(timeless(status)).toEqual({
        succeeded: 3,
        ready: 0,
        terminating: 0,
        uncountedTerminatedPods: {},
        conditions: [condition('SuccessCriteriaMet', ...reached), condition('Complete', ...reached)],
      })
      expect(status.startTime).toBeDefined()
      await waitFor(async () => {
        const pods = await itemsOf(bench, bench.core('pods'), name)
        expect(pods).toHaveLength(3)
        expect(pods.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([])
      })
      await waitFor(async () => expect(await eventsOf(bench, name)).toContain('Completed: Job completed'))
    }),
    behaviour('an Indexed Job has a pod for each index', async bench => {
      const { path, name } = await start(bench, {
        completions: 3,
        parallelism: 3,
        completionMode: 'Indexed',
      })
      expect((await completed(bench, path)).status.completedIndexes).toBe('0-2')
      const pods = await itemsOf(bench, bench.core('pods'), name)
      const index = 'batch.kubernetes.io/job-completion-index'
      expect(pods.map(({ metadata }) => metadata.annotations[index]).sort()).toEqual(['0', '1', '2'])
      expect(pods.map(({ spec }) => spec.hostname).sort()).toEqual([0, 1, 2].map(at => `${name}-${at}`))
    }),
    behaviour('a suspended Job has no pods until it is resumed', async bench => {
      const { path, name } = await start(bench, { suspend: true })
      const { status } = await until(bench, path, one => expect(one.status.conditions).toHaveLength(1))
      expect(timeless(status).conditions).toEqual([condition('Suspended', 'JobSuspended', 'Job suspended')])
      expect(status.startTime).toBeUndefined()
      expect(await itemsOf(bench, bench.core('pods'), name)).toEqual([])
      await patch(bench, path, { spec: { suspend: false } })
      const after = await completed(bench, path)
      expect(timeless(after.status).conditions[0]).toEqual(
        condition('Suspended', 'JobResumed', 'Job resumed', 'False'),
      )
    }),
    behaviour('a Job over its deadline has failed', async bench => {
      const stuck = template('stuck', 'example.test/main:1', {
        restartPolicy: 'Never',
        nodeSelector: { nowhere: 'true' },
      })
      const { path } = await start(bench, { activeDeadlineSeconds: 1, template: stuck })
      const { status } = await until(bench, path, one =>
        expect(one.status.conditions?.map(({ type }: Json) => type)).toContain('Failed'),
      )
      const late = ['DeadlineExceeded', 'Job was active longer than specified deadline'] as const
      expect(timeless(status).conditions).toEqual([
        condition('FailureTarget', ...late),
        condition('Failed', ...late),
      ])
    }),
    behaviour('a Job that is deleted leaves no pod behind', async bench => {
      const { path, name } = await start(bench)
      await completed(bench, path)
      await bench.admin.delete(path, { propagationPolicy: 'Background' })
      await waitFor(async () => expect(await itemsOf(bench, bench.core('pods'), name)).toEqual([]))
    }),
    behaviour('a Job with a time to live goes by itself', async bench => {
      const { path } = await start(bench, { ttlSecondsAfterFinished: 0 })
      await bench.until(path, 404)
    }),
  ],
}
