import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type Job, jobMessage, jobState } from '../../../../http/rpc/batch/job.js'
import { distributionOf } from '../../../../http/rpc/distribution/distribution.js'
import { JobSchema, JobStatus_JobState as State } from '../../../../proto/gen/kairship/batch_pb.js'
import { ClusterProvider } from '../../../../proto/gen/kairship/types_pb.js'
import { binding } from '../objects/binding.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

const { Waiting, Running, Completed, Deleting, Failed } = State
const here = { instance: 'eu-west' }

const job = (status: object = {}, metadata: object = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', namespace: 'shop', ...metadata },
  spec: { parallelism: 2, completions: 4, suspend: true, backoffLimit: 6, template: podTemplate },
  status: {
    active: 2,
    succeeded: 1,
    failed: 1,
    startTime: '2026-11-20T10:00:00Z',
    completionTime: '2026-11-20T10:05:00Z',
    ...status,
  },
})
const ended = (type: string, status = 'True') => ({
  conditions: [
    {
      type,
      status,
      reason: 'Completed',
      message: 'Job completed',
      lastProbeTime: '2026-11-20T10:05:01Z',
      lastTransitionTime: '2026-11-20T10:05:00Z',
      observedGeneration: 1,
    },
  ],
})
const placed = (reachable: boolean) =>
  distributionOf(
    binding(
      { clusters: [{ name: 'a', replicas: 2 }] },
      {
        aggregatedStatus: [
          {
            clusterName: 'a',
            applied: true,
            appliedMessage: 'late',
            status: { active: 2, readyReplicas: 1 },
          },
        ],
      },
    ),
    new Map([['a', { provider: ClusterProvider.AWS_EKS, reachable }]]),
  )

describe('a Job message', () => {
  it('has every field of the contract', () => {
    const shown = jobMessage(job(ended('Complete')), here, placed(true))
    const message = create(JobSchema, shown)
    expect(unsetFields(JobSchema, message)).toEqual([])
    expect(message).toMatchObject({
      executionTimestamp: BigInt(Date.parse('2026-11-20T10:00:00Z')),
      status: {
        active: 2,
        succeed: 1,
        failed: 1,
        phase: Completed,
        completionTime: BigInt(Date.parse('2026-11-20T10:05:00Z')),
        conditions: [{ lastUpdateTime: '2026-11-20T10:05:01Z' }],
      },
    })
  })

  it('is complete without spec and status', () => {
    const bare = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi' } }
    expect(create(JobSchema, jobMessage(bare, here))).toMatchObject({
      executionTimestamp: 0n,
      status: { phase: Waiting },
    })
  })

  it('counts no active pods in an unreachable cluster', () => {
    expect(jobMessage(job(), here, placed(false)).status).toMatchObject({ active: 0, phase: Waiting })
  })
})

describe('the state of a Job', () => {
  it.each([
    ['pods run', job(), Running],
    ['no pod runs', job({ active: 0 }), Waiting],
    ['complete', job(ended('Complete')), Completed],
    ['failed', job(ended('Failed')), Failed],
    ['it may still fail', job(ended('Failed', 'False')), Running],
    ['suspended', job({ active: 0, ...ended('Suspended') }), Waiting],
    ['deleted', job(ended('Complete'), { deletionTimestamp: '2026-11-20T10:06:00Z' }), Deleting],
  ])('%s', (_, one, state) => {
    expect(State[jobState(one)]).toBe(State[state])
  })

  it('stays completed when its clusters are unreachable', () => {
    expect(jobState(job(ended('Complete')), placed(false))).toBe(Completed)
  })
})
