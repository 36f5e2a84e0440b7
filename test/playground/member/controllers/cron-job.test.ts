import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { planCronJob } from '../../../../playground/member/controllers/cron-job.js'
import { lastDue, parseSchedule, ScheduleError } from '../../../../playground/member/controllers/schedule.js'
import type { CronJob } from '../../../../playground/member/workloads.js'
import { timestamp } from '../../../../playground/objects/timestamp.js'
import { worldOf } from './world.js'

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`)
const NOON = at('12:00:00')

describe('a cron schedule', () => {
  it.each([
    ['*/5 * * * *', undefined, '12:05:00'],
    ['30 13 * * *', undefined, '13:30:00'],
    ['@hourly', undefined, '13:00:00'],
    ['@every 1m30s', undefined, '12:01:30'],
    ['0 22 * * *', 'Asia/Tokyo', '13:00:00'],
  ])('%s in %s is due next at %s', (text, zone, next) => {
    expect(timestamp(parseSchedule(text, zone).next(NOON) ?? 0)).toBe(`2026-01-01T${next}Z`)
  })

  it.each([['61 * * * *'], ['* * * *'], ['@every'], ['@every 5x'], ['nonsense'], ['* * * * * *']])(
    '%s is invalid',
    text => {
      expect(() => parseSchedule(text)).toThrow(ScheduleError)
    },
  )

  it('in an unknown time zone is invalid', () => {
    expect(() => parseSchedule('* * * * *', 'Nowhere/Town')).toThrow(ScheduleError)
  })

  it('reports the last due time, however long it was not checked', () => {
    const schedule = parseSchedule('* * * * *')
    expect(lastDue(schedule, NOON, NOON + 59_000)).toBeUndefined()
    expect(lastDue(schedule, NOON, NOON + 60_000)).toBe(NOON + 60_000)
    expect(lastDue(schedule, NOON - 86_400_000 * 365, NOON + 1)).toBe(NOON)
  })
})

const cron = (spec: Partial<CronJob['spec']> = {}, status: CronJob['status'] = {}): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { namespace: 'a', name: 'tick', uid: 'u', creationTimestamp: timestamp(NOON - 30_000) },
  spec: { schedule: '* * * * *', jobTemplate: { spec: { template: {} } }, ...spec },
  status,
})
const job = (minute: number, ended?: 'Complete' | 'Failed'): KubeObject =>
  ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: 'a',
      name: `tick-${NOON / 60_000 + minute}`,
      uid: `j${minute}`,
      ownerReferences: [{ kind: 'CronJob', name: 'tick', uid: 'u', controller: true }],
    },
    spec: { template: {} },
    status: {
      startTime: timestamp(NOON + minute * 60_000),
      ...(ended && { conditions: [{ type: ended, status: 'True' }] }),
      ...(ended === 'Complete' && { completionTime: timestamp(NOON + minute * 60_000 + 5_000) }),
    },
  }) as unknown as KubeObject

const planned = (one: CronJob, now: number, jobs: readonly KubeObject[] = []) => {
  const { changes = [], notes = [], ...rest } = planCronJob(one, worldOf(now, { jobs }))
  const created = changes.flatMap(change => ('create' in change ? [change.object.metadata.name] : []))
  const removed = changes.flatMap(change => ('remove' in change ? [change.object.metadata.name] : []))
  return { created, removed, reasons: notes.map(({ reason }) => reason), ...rest }
}
const nameAt = (minute: number) => `tick-${NOON / 60_000 + minute}`

describe('a CronJob', () => {
  it('creates a Job at the due time, records the time and schedules the next check', () => {
    const { created, status, again } = planned(cron(), NOON + 1_000)
    expect(created).toEqual([nameAt(0)])
    expect(status).toEqual({ lastScheduleTime: timestamp(NOON) })
    expect(again).toBe(59_000)
  })

  it('waits for its first due time', () => {
    const { created, again } = planned(cron(), NOON - 10_000)
    expect(created).toEqual([])
    expect(again).toBe(10_000)
  })

  it('creates no second Job for a due time after a crash between the two writes', () => {
    const { created, status } = planned(cron(), NOON + 1_000, [job(0)])
    expect(created).toEqual([])
    expect(status).toMatchObject({ lastScheduleTime: timestamp(NOON) })
  })

  it('runs only the last of several missed due times', () => {
    const { created } = planned(cron({}, { lastScheduleTime: timestamp(NOON) }), NOON + 600_000)
    expect(created).toEqual([nameAt(10)])
  })

  it('skips a run that is later than its deadline', () => {
    const late = cron({ schedule: '0 * * * *', startingDeadlineSeconds: 10 })
    expect(planned(late, NOON + 11_000).created).toEqual([])
    expect(planned(late, NOON + 9_000).created).toHaveLength(1)
  })

  it.each([
    ['Allow', 1, 0, []],
    ['Forbid', 0, 0, ['JobAlreadyActive']],
    ['Replace', 1, 1, ['SuccessfulDelete']],
  ])('with %s concurrency creates %i and deletes %i while one runs', (policy, made, gone, reasons) => {
    const before = { lastScheduleTime: timestamp(NOON) }
    const { created, removed, ...rest } = planned(
      cron({ concurrencyPolicy: policy }, before),
      NOON + 60_000,
      [job(0)],
    )
    expect([created.length, removed.length]).toEqual([made, gone])
    expect(rest.reasons).toEqual(reasons)
  })

  it('creates nothing while it is suspended', () => {
    expect(planned(cron({ suspend: true }), NOON + 1_000).created).toEqual([])
  })

  it('reports an invalid schedule, and does not check again by itself', () => {
    const { reasons, again } = planned(cron({ schedule: '99 * * * *' }), NOON)
    expect(reasons).toEqual(['UnparseableSchedule'])
    expect(again).toBeUndefined()
  })

  it('keeps three completed Jobs and a failed one', () => {
    const jobs = [1, 2, 3, 4, 5].map(minute => job(minute, 'Complete'))
    const failed = [6, 7].map(minute => job(minute, 'Failed'))
    const status = { lastScheduleTime: timestamp(NOON + 600_000) }
    const { removed, ...rest } = planned(cron({}, status), NOON + 601_000, [...failed, ...jobs])
    expect(removed).toEqual([nameAt(1), nameAt(2), nameAt(6)])
    expect(rest.status).toEqual({ ...status, lastSuccessfulTime: timestamp(NOON + 305_000) })
  })

  it('reports its active Jobs, and the completion of one', () => {
    const active = [{ uid: 'j1', name: nameAt(1) }]
    const status = { lastScheduleTime: timestamp(NOON + 120_000), active }
    const { reasons, ...rest } = planned(cron({}, status), NOON + 121_000, [job(1, 'Complete'), job(2)])
    expect(reasons).toEqual(['SawCompletedJob'])
    expect(rest.status).toMatchObject({ active: [{ name: nameAt(2), uid: 'j2', kind: 'Job' }] })
  })
})
