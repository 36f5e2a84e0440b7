import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { batchHandlers } from '../../../../http/rpc/batch/handlers.js'
import { restartJob } from '../../../../http/rpc/batch/restart-job.js'
import {
  PauseCronJobRequestSchema,
  ResumeCronJobRequestSchema,
} from '../../../../proto/gen/kairship/batch_pb.js'
import { recordingObjects } from '../recording-objects.js'

const call = {} as Call
const request = { instance: 'north', namespace: 'a', name: 'x', resourceVersion: '' }
const world = (metadata: object = {}) =>
  recordingObjects(() => ({ metadata: { uid: 'u', resourceVersion: '7', ...metadata }, spec: {} }))

describe('a Job that runs again', () => {
  it('is tried dry, then deleted as the very object that was read, then created', async () => {
    const any = world()
    await restartJob(any.objects, call, request)
    expect(any.writes()).toMatchObject([
      { verb: 'create', options: { dryRun: true } },
      { verb: 'delete', key: { namespace: 'a', name: 'x' }, options: { uid: 'u' } },
      { verb: 'create', options: {} },
    ])
    expect(any.writes()[1]?.options).toEqual({ uid: 'u' })
    const pinned = world()
    await restartJob(pinned.objects, call, { ...request, resourceVersion: '7' })
    expect(pinned.writes()[1]?.options).toEqual({ uid: 'u', resourceVersion: '7' })
  })

  it.each([
    ['has changed', {}, { resourceVersion: '6' }, 10],
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }, {}, 9],
    ['is held by finalizers', { finalizers: ['example.com/held'] }, {}, 9],
  ])('is left alone where it %s', async (_, metadata, more, code) => {
    const { objects, writes } = world(metadata)
    await expect(restartJob(objects, call, { ...request, ...more })).rejects.toMatchObject({ code })
    expect(writes()).toEqual([])
  })
})

describe('a CronJob', () => {
  it.each([
    ['pauseCronJob', undefined, true, PauseCronJobRequestSchema],
    ['pauseCronJob', false, false, PauseCronJobRequestSchema],
    ['resumeCronJob', undefined, false, ResumeCronJobRequestSchema],
    ['resumeCronJob', true, true, ResumeCronJobRequestSchema],
  ] as const)('of %s with paused %s has suspend %s', async (rpc, paused, suspend, schema) => {
    const { objects, writes } = world()
    const named = { instance: 'north', namespace: 'a', name: 'x', ...(paused !== undefined && { paused }) }
    await batchHandlers(objects)[rpc](
      create(schema as typeof PauseCronJobRequestSchema, named) as never,
      call,
    )
    expect(writes()).toMatchObject([
      { verb: 'patch', resource: 'cronjobs', patch: { body: { spec: { suspend } } } },
    ])
  })
})
