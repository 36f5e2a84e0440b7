import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { planGoneJob, planJob } from '../../../../playground/member/controllers/job.js'
import { TRACKING, writeRanges } from '../../../../playground/member/controllers/job-tracking.js'
import type { Job, JobStatus } from '../../../../playground/member/workloads.js'
import { timestamp } from '../../../../playground/objects/timestamp.js'
import { worldOf } from './world.js'

const NOW = Date.parse('2026-01-01T12:00:00Z')

const job = (spec: Partial<Job['spec']> = {}, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'a', name: 'work', uid: 'u' },
  spec: { completions: 1, parallelism: 1, backoffLimit: 6, template: {}, ...spec },
  status: { startTime: timestamp(NOW - 60_000), ...status },
})
const pod = (name: string, phase: string, more: Partial<KubeObject['metadata']> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'a',
      name,
      uid: name,
      finalizers: [TRACKING],
      creationTimestamp: timestamp(NOW - 30_000),
      ownerReferences: [{ kind: 'Job', name: 'work', uid: 'u', controller: true }],
      ...more,
    },
    spec: {},
    status: { phase },
  }) as unknown as KubeObject

const planned = (one: Job, pods: readonly KubeObject[] = [], now = NOW) => {
  const { changes = [], status, ...rest } = planJob(one, worldOf(now, { pods }))
  return {
    created: changes.filter(change => 'create' in change).length,
    removed: changes.flatMap(change => ('remove' in change ? [change.object.metadata.name] : [])),
    released: changes.flatMap(change => ('update' in change ? [change.object.metadata.name] : [])),
    status: status as JobStatus,
    types: ((status as JobStatus | undefined)?.conditions ?? []).map(({ type }) => type),
    ...rest,
  }
}

describe('a Job', () => {
  it('counts a finished pod once: records it, removes its finalizer, then counts it', () => {
    const ended = pod('p', 'Succeeded')
    const first = planned(job({ completions: 2 }), [ended])
    expect(first.status.uncountedTerminatedPods).toEqual({ succeeded: ['p'] })
    expect(first.status.succeeded).toBeUndefined()
    expect(first.released).toEqual([])
    const second = planned(job({ completions: 2 }, first.status), [ended])
    expect(second.released).toEqual(['p'])
    expect(second.status.succeeded).toBeUndefined()
    const third = planned(job({ completions: 2 }, second.status), [pod('p', 'Succeeded', { finalizers: [] })])
    expect(third.status.succeeded).toBe(1)
    expect(third.status.uncountedTerminatedPods).toEqual({})
    expect(planned(job({ completions: 2 }, third.status), []).status.succeeded).toBe(1)
  })

  it('counts a pod that is deleted before it was counted', () => {
    const status = { uncountedTerminatedPods: { failed: ['p'] }, failed: 1 }
    expect(planned(job({}, status), []).status.failed).toBe(2)
  })

  it('is not complete before its last pod is counted', () => {
    const first = planned(job(), [pod('p', 'Succeeded')])
    expect(first.types).toEqual(['SuccessCriteriaMet'])
    const done = planned(job({}, first.status), [pod('p', 'Succeeded', { finalizers: [] })])
    expect(done.types).toEqual(['SuccessCriteriaMet', 'Complete'])
    expect(done.status.completionTime).toBe(timestamp(NOW))
  })

  it.each([
    [1, 10_000],
    [2, 20_000],
    [3, 40_000],
    [9, 600_000],
  ])('backs off longer after each failure: after %i for %i ms', (failed, pause) => {
    const status = { failed: failed - 1, uncountedTerminatedPods: { failed: ['p'] } }
    const failure = pod('p', 'Failed', { finalizers: [], creationTimestamp: timestamp(NOW) })
    const spec = { backoffLimit: 100 }
    const waiting = planned(job(spec, status), [failure], NOW)
    expect([waiting.created, waiting.again]).toEqual([0, pause])
    expect(planned(job(spec, status), [failure], NOW + pause).created).toBe(1)
  })

  it('fails beyond its backoffLimit, and deletes running pods', () => {
    const { types, removed, status } = planned(
      job({ backoffLimit: 1, parallelism: 2, completions: 2 }, { failed: 2 }),
      [pod('left', 'Running')],
    )
    expect(types).toEqual(['FailureTarget'])
    expect(removed).toEqual(['left'])
    expect(status.conditions?.[0]?.reason).toBe('BackoffLimitExceeded')
  })

  it('keeps its result when its pods change later', () => {
    const verdict = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'DeadlineExceeded',
      lastTransitionTime: '',
    } as const
    const { types } = planned(job({}, { conditions: [verdict], succeeded: 1 }))
    expect(types).toEqual(['FailureTarget', 'Failed'])
  })

  it('without completions is complete when one pod has succeeded and none runs', () => {
    const { completions: _, ...spec } = job({ parallelism: 2 }).spec
    const queue = { ...job(), spec }
    expect(planned(queue).created).toBe(2)
    expect(planned({ ...queue, status: { succeeded: 1 } }, [pod('p', 'Running')]).types).toEqual([])
    expect(planned({ ...queue, status: { succeeded: 1 } }).types).toContain('Complete')
  })

  it('runs at most as many pods as still have to complete', () => {
    expect(planned(job({ completions: 5, parallelism: 3 }, { succeeded: 3 })).created).toBe(2)
  })

  it('deletes pods when its parallelism is reduced', () => {
    const pods = ['p', 'q', 'r'].map(name => pod(name, 'Running'))
    expect(planned(job({ completions: 9, parallelism: 1 }), pods).removed).toHaveLength(2)
  })

  it('that is deleted removes the finalizers of its pods', () => {
    const going = pod('p', 'Running', { deletionTimestamp: timestamp(NOW) })
    const { changes = [] } = planGoneJob('a/work', worldOf(NOW, { pods: [going] }))
    expect(changes).toMatchObject([{ object: { metadata: { name: 'p', finalizers: [] } } }])
    expect(planGoneJob('a/other', worldOf(NOW, { pods: [going], jobs: [job()] })).changes).toEqual([])
  })
})

describe('completed indexes', () => {
  it.each([
    [[], ''],
    [[3], '3'],
    [[0, 1], '0,1'],
    [[0, 1, 2, 5, 7, 8, 9], '0-2,5,7-9'],
  ])('%j are formatted as %j', (numbers, text) => {
    expect(writeRanges(new Set(numbers))).toBe(text)
  })
})
