import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type CronJob, cronJobMessage, cronJobState } from '../../../../http/rpc/batch/cron-job.js'
import { distributionOf, UNKNOWN_DISTRIBUTION } from '../../../../http/rpc/distribution/distribution.js'
import {
  CronJobSchema,
  CronJobStatus_CronJobState as State,
} from '../../../../proto/gen/kairship/batch_pb.js'
import { ClusterProvider } from '../../../../proto/gen/kairship/types_pb.js'
import { binding } from '../objects/binding.js'

const { Waiting, Activated, Stopped, Deleting } = State
const here = { instance: 'eu-west' }

const cronJob = (spec: object = {}, metadata: object = {}): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'report', namespace: 'shop', ...metadata },
  spec: {
    schedule: '*/5 * * * *',
    timeZone: 'Europe/Berlin',
    concurrencyPolicy: 'Forbid',
    suspend: false,
    jobTemplate: {
      spec: {
        template: {
          spec: {
            initContainers: [{ name: 'wait', image: 'busybox:1.37' }],
            containers: [
              { name: 'main', image: 'report:3' },
              { name: 'side', image: 'busybox:1.37' },
            ],
          },
        },
      },
    },
    ...spec,
  },
  status: { lastScheduleTime: '2026-11-20T10:05:00Z', active: [{ name: 'report-29' }, {}] },
})
const placed = (reachable: boolean, applied = true) =>
  distributionOf(
    binding({}, { aggregatedStatus: [{ clusterName: 'a', applied }] }),
    new Map(['a', 'b'].map(name => [name, { provider: ClusterProvider.GENERIC, reachable }])),
  )

describe('a CronJob message', () => {
  it('has its schedule, its last run, its distinct images, and its number of clusters', () => {
    expect(create(CronJobSchema, cronJobMessage(cronJob(), here, placed(true)))).toMatchObject({
      metadata: { name: 'report' },
      spec: {
        schedule: '*/5 * * * *',
        timeZone: 'Europe/Berlin',
        concurrencyPolicy: 'Forbid',
        paused: false,
      },
      status: {
        phase: Activated,
        conditions: [{ jobName: 'report-29' }, { jobName: '' }],
        clusters: [{ name: 'a', applied: true }, { name: 'b' }],
      },
      availed: 1,
      total: 2,
      executionTimestamp: BigInt(Date.parse('2026-11-20T10:05:00Z')),
      images: ['busybox:1.37', 'report:3'],
    })
  })

  it('does not count a cluster that is down as one that has it', () => {
    expect(cronJobMessage(cronJob(), here, placed(false))).toMatchObject({ availed: 0, total: 2 })
  })

  it('is complete without spec and status', () => {
    const bare = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'report' } }
    expect(create(CronJobSchema, cronJobMessage(bare, here))).toMatchObject({
      images: [],
      executionTimestamp: 0n,
    })
  })
})

describe('the state of a CronJob', () => {
  it.each([
    ['a cluster has it', cronJob(), placed(true), Activated],
    ['it is applied nowhere', cronJob(), placed(true, false), Waiting],
    ['the clusters that have it are down', cronJob(), placed(false), Waiting],
    ['no policy selects it', cronJob(), distributionOf(undefined, undefined), Waiting],
    ['paused', cronJob({ suspend: true }), placed(true), Stopped],
    ['deleted', cronJob({}, { deletionTimestamp: '2026-11-20T10:06:00Z' }), placed(true), Deleting],
    ['the caller may not read bindings', cronJob(), UNKNOWN_DISTRIBUTION, Activated],
    ['in a member', cronJob(), undefined, Activated],
  ])('%s', (_, one, distribution, state) => {
    expect(State[cronJobState(one, distribution)]).toBe(State[state])
  })
})
