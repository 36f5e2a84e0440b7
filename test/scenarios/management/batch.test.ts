import { describe, expect, it } from 'vitest'
import { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(BatchService)
const at = (namespace = 'default') => ({ instance: world.instance, namespace })
const named = (name: string) => ({ ...at(), name })
const pods = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.37' }] } }
const job = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, ...metadata },
  spec: { parallelism: 2, completions: 4, template: pods, ...spec },
})
const cronJob = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, ...metadata },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: pods } }, ...spec },
})
const createJob = async (name: string, spec?: object, metadata?: object) =>
  JSON.parse(
    (await world.calls.rest('createJob', { ...at(), data: JSON.stringify(job(name, spec, metadata)) })).data,
  )
const createCronJob = async (name: string, spec?: object) =>
  JSON.parse(
    (await world.calls.rest('createCronJob', { ...at(), data: JSON.stringify(cronJob(name, spec)) })).data,
  )
const namesOf = (items: { metadata: { name: string } }[]) => items.map(({ metadata }) => metadata.name)
/** What a member's Job controller would report. */
const report = (name: string, status: object) =>
  world.patch(world.control, TYPES.jobs, { namespace: 'default', name }, { status }, 'status')
const at0 = '2026-11-20T10:00:00Z'
const complete = {
  succeeded: 4,
  startTime: at0,
  completionTime: at0,
  conditions: ['SuccessCriteriaMet', 'Complete'].map(type => ({
    type,
    status: 'True',
    lastProbeTime: at0,
    lastTransitionTime: at0,
  })),
}

describe('a Job of an instance', () => {
  it('is created, read alike over both wires, listed by name and state, and deleted', async () => {
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
      namesOf((await world.calls.read('listJobs', { ...at(), ...more })).items)
    expect(await list({ name: 'pi' })).toEqual(['pi', 'pi-done'])
    expect(await list({ name: 'pi', phase: 'Completed' })).toEqual(['pi-done'])
    expect(await list({ name: 'pi', sortBy: 'state', sortDir: 'desc' })).toEqual(['pi', 'pi-done'])
    const done = await world.calls.read('getJob', named('pi-done'))
    expect(done).toMatchObject({
      status: { phase: 'Completed', succeed: 4, completionTime: String(Date.parse(at0)) },
      executionTimestamp: String(Date.parse(at0)),
    })
    expect(await world.calls.rest('deleteJob', named('pi-done'))).toEqual({})
    expect((await world.calls.both('getJob', named('pi-done'))).json.code).toBe(5)
  })

  it('is found in the whole instance by namespace, labels, fields and parts of its name', async () => {
    await createJob('labelled', {}, { labels: { team: 'blue' } })
    const list = async (more: object) =>
      namesOf((await world.calls.read('listInstanceJobs', { instance: world.instance, ...more })).items)
    expect(await list({ labelSelector: 'team in (blue,red)' })).toEqual(['labelled'])
    expect(await list({ fieldSelector: 'metadata.name=labelled' })).toEqual(['labelled'])
    expect(await list({ fuzzyName: 'abel', namespace: 'default' })).toEqual(['labelled'])
    expect(await list({ fuzzyName: 'abel', name: 'nope' })).toEqual([])
    expect(await list({ namespace: 'kube-system' })).toEqual([])
  })

  it('is placed by a policy and shows where', async () => {
    await world.place('Job', 'spread', { apiVersion: 'batch/v1' })
    await createJob('spread', { suspend: true })
    const shown = await eventually('it is applied in both members', async () => {
      const found = await world.calls.rest('getJob', named('spread'))
      const { clusters } = found.status
      return clusters.length === 2 && clusters.every(({ applied }: { applied: boolean }) => applied) && found
    })
    expect(namesOf(shown.status.clusters.map((metadata: { name: string }) => ({ metadata })))).toEqual(
      world.members,
    )
    expect(
      (await world.calls.read('listJobs', { ...at(), name: 'spread' })).items[0].status.clusters,
    ).toEqual(shown.status.clusters)
  })
})

describe('restarting a Job', () => {
  it('makes it anew: another object, the same manifest, labels and policy, in the members too', async () => {
    await world.place('Job', 'again', { apiVersion: 'batch/v1' })
    const made = await createJob('again', { ttlSecondsAfterFinished: 3600 }, { labels: { team: 'blue' } })
    const [member = ''] = world.members
    const key = { namespace: 'default', name: 'again' }
    const before = await world.in(member, TYPES.jobs, key)
    await report('again', complete)
    const { job: restarted } = await world.calls.rest('restartJob', named('again'))
    expect(restarted).toMatchObject({
      metadata: { name: 'again', labels: { team: 'blue' } },
      spec: { parallelism: 2, completions: 4 },
      status: { phase: 'Waiting', succeed: 0 },
    })
    expect(restarted.metadata.uid).not.toBe(made.metadata.uid)
    const stored = await world.in(world.instance, TYPES.jobs, key)
    expect(stored.spec).toMatchObject({ ttlSecondsAfterFinished: 3600, template: { spec: pods.spec } })
    await world.in(member, TYPES.jobs, key, ({ metadata }) => metadata.uid !== before.metadata.uid)
  })

  it('is refused where the Job has changed since it was read, and does nothing', async () => {
    const { metadata } = await createJob('changed')
    await world.patch(
      world.control,
      TYPES.jobs,
      { namespace: 'default', name: 'changed' },
      {
        metadata: { labels: { touched: 'yes' } },
      },
    )
    const refused = await world.calls.both('restartJob', {
      ...named('changed'),
      resourceVersion: metadata.resourceVersion,
    })
    expect(refused).toMatchObject({ ok: false, json: { code: 10 } })
    expect((await world.calls.read('getJob', named('changed'))).metadata.uid).toBe(metadata.uid)
    const { resourceVersion } = (await world.calls.read('getJob', named('changed'))).metadata
    const { job: restarted } = await world.calls.rest('restartJob', { ...named('changed'), resourceVersion })
    expect(restarted.metadata.uid).not.toBe(metadata.uid)
  })

  it('is refused for a Job that finalizers hold, that is being deleted, or that is not there', async () => {
    const key = { namespace: 'default', name: 'held' }
    await createJob('held', {}, { finalizers: ['test.io/held'] })
    const held = await world.calls.both('restartJob', named('held'))
    expect(held).toMatchObject({ ok: false, json: { code: 9 } })
    expect(held.json.message).toContain('test.io/held')
    await world.remove(world.control, TYPES.jobs, key)
    const deleted = await world.calls.both('restartJob', named('held'))
    expect(deleted).toMatchObject({ ok: false, json: { code: 9 } })
    expect(deleted.json.message).toContain('being deleted')
    await world.patch(world.control, TYPES.jobs, key, { metadata: { finalizers: null } })
    expect((await world.calls.both('restartJob', named('nobody'))).json.code).toBe(5)
  })

  it('is refused before anything is deleted to somebody who may not create it anew', async () => {
    const { metadata } = await createJob('kept')
    expect(await world.viewer.both('restartJob', named('kept'))).toMatchObject({
      ok: false,
      json: { code: 7 },
    })
    expect((await world.calls.read('getJob', named('kept'))).metadata.uid).toBe(metadata.uid)
  })

  it('leaves a Job alone that the control plane would not take again', async () => {
    const { metadata } = await createJob('refused')
    const restore = world.world.playground.karmadas.get(world.instance)!.server.interrupt({
      kind: 'answer',
      matches: ({ method, path }) => method === 'POST' && path.endsWith('/jobs'),
      response: {
        code: 403,
        body: {
          object: {
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            reason: 'Forbidden',
            message: 'jobs.batch "refused" is forbidden: exceeded quota: jobs',
            code: 403,
          },
        },
      },
    })
    try {
      const refused = await world.calls.overRest('restartJob', named('refused'))
      expect(refused).toMatchObject({ ok: false, json: { code: 7 } })
    } finally {
      restore()
    }
    expect((await world.calls.read('getJob', named('refused'))).metadata.uid).toBe(metadata.uid)
  })
})

describe('a CronJob of an instance', () => {
  it('is created, placed, read alike over both wires, and listed by state', async () => {
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
      namesOf((await world.calls.read(rpc, { instance: world.instance, ...more })).items)
    expect(await list('listCronJobs', { ...at(), name: 'report' })).toEqual(['report', 'report-nowhere'])
    expect(await list('listCronJobs', { ...at(), phase: 'Waiting', name: 'report' })).toEqual([
      'report-nowhere',
    ])
    expect(await list('listInstanceCronJobs', { phase: 'Activated', fuzzyName: 'repo' })).toEqual(['report'])
  })

  it('is paused and resumed as the verb says, unless the body says otherwise', async () => {
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

  it('is replaced by the manifest that names it, only as it was read, with all its fields', async () => {
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
    expect((await put(read)).json.code).toBe(10)
    expect((await put(cronJob('nobody'))).json.code).toBe(5)
    const { name: _, ...nameless } = read.metadata
    const refused = await put({ ...read, metadata: nameless })
    expect(refused.json.code).toBe(3)
    expect(refused.json.message).toContain('metadata.name')
  })

  it('is deleted', async () => {
    await createCronJob('short')
    expect(await world.calls.rest('deleteCronJob', named('short'))).toEqual({})
    expect((await world.calls.both('getCronJob', named('short'))).json.code).toBe(5)
  })
})

describe('the Jobs of a CronJob in a member', () => {
  it('are those that it started, not those of an earlier CronJob of its name', async () => {
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
    expect(namesOf(all.jobs)).toEqual(['backup-1', 'backup-2'])
    expect(all.jobs[0].metadata.cluster).toBe(cluster)
    expect(namesOf((await list({ page: 2, pageSize: 1 })).jobs)).toEqual(['backup-2'])
    expect(namesOf((await list({ fuzzyName: 'p-1' })).jobs)).toEqual(['backup-1'])
    expect(namesOf((await list({ phase: 'Waiting' })).jobs)).toEqual(['backup-1', 'backup-2'])
    expect(namesOf((await list({ phase: 'Completed' })).jobs)).toEqual([])
    expect(
      await world.calls.both('listJobsByCronJobsName', { ...at(), cluster, cronjob: 'nobody' }),
    ).toMatchObject({ ok: false, json: { code: 5 } })
  })
})

describe('a request that is wrong', () => {
  it.each([
    ['malformed YAML', 'a: b: c', /neither JSON nor YAML/],
    ['several documents', `${JSON.stringify(job('a'))}\n---\n${JSON.stringify(job('b'))}`, /exactly one/],
    ['another kind', JSON.stringify(cronJob('a')), /must be "Job"/],
    ['a spec that is refused', JSON.stringify(job('a', { parallelism: -1 })), /data\.spec\.parallelism/],
    ['what its type does not have', JSON.stringify(job('a', { paralelism: 1 })), /paralelism/],
  ])('is refused on create: %s', async (_, data, message) => {
    const refused = await world.calls.both('createJob', { ...at(), data })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toMatch(message)
  })

  it.each([
    ['a schedule that is none', JSON.stringify(cronJob('a', { schedule: 'often' })), /data\.spec\.schedule/],
    ['another kind', JSON.stringify(job('a')), /must be "CronJob"/],
  ])('is refused on create of a CronJob: %s', async (_, data, message) => {
    const refused = await world.calls.both('createCronJob', { ...at(), data })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.text).toMatch(message)
  })

  it.each([
    [{ phase: 'Done' }, /Completed/],
    [{ labelSelector: 'a in (' }, /./],
    [{ labelSelector: '=;DROP' }, /./],
    [{ fieldSelector: 'spec.secret=x' }, /./],
    [{ fieldSelector: 'metadata.name' }, /./],
  ])('is refused on list: %j', async (more, message) => {
    const refused = await world.calls.both('listInstanceJobs', { instance: world.instance, ...more })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
    expect(refused.json.message).toMatch(message)
  })
})
