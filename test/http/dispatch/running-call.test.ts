import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { startDeadline } from '../../../http/call/deadline.js'
import { beginCall } from '../../../http/dispatch/running-call.js'
import { internal, notFound } from '../../../http/errors/failure.js'
import { AnswerMemory } from '../../../http/limits/answer-memory.js'
import type { Operation } from '../../../http/operation/operation.js'
import { operationsOf } from '../../../http/operation/operation.js'
import { AccessLockService } from '../../../proto/gen/kairship/accesslock_pb.js'
import { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import { fakeLog } from '../fakes/log.js'

const { listInstances, watchInstances } = InstanceService.method

/** Begins calls of users in one process. */
function calling() {
  const log = fakeLog()
  const observed: unknown[][] = []
  const meter = {
    count: () => undefined,
    gauge: () => undefined,
    observe: (...all: unknown[]) => void observed.push(all),
  }
  const clock = { now: 1_000 }
  const answers = new AnswerMemory()
  const call = (user = 'ann', more: Partial<Operation> = {}) => {
    const operation = {
      ...{ id: 'Test', method: listInstances, bindings: [], object: undefined, namingFields: [] },
      ...{ permission: undefined, handle: () => undefined, ...more },
    } as Operation
    const caller = { user, groups: [], extra: {} }
    const arrival = { wire: 'rest', requestId: 'r1', uri: '/', caller } as const
    return beginCall(
      { log, audit: log.audit, meter, now: () => clock.now, answers },
      operation,
      arrival,
      startDeadline([]),
    )
  }
  return { call, clock, log, observed }
}

describe('the record of a call', () => {
  it('has its duration in seconds, by wire and operation', () => {
    const { call, clock, observed } = calling()
    const running = call()
    clock.now += 2_500
    running.end()
    expect(observed).toEqual([
      ['kairship_api_request_duration_seconds', 2.5, { wire: 'rest', operation: 'Test' }],
    ])
  })

  it('has what was thrown in the log, under its request id, where the caller reads only that', () => {
    const { call, log } = calling()
    const thrown = new TypeError('undefined is not a function')
    expect(call().end(thrown).message).toContain('the log has it under this request id')
    const unexpected = internal('the handler lost its way')
    call().end(unexpected)
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { requestId: 'r1', operation: 'Test', err: thrown } },
      { level: 'error', fields: { requestId: 'r1', operation: 'Test', err: unexpected } },
    ])
  })

  it('leaves no line in the log where the caller reads all of it', () => {
    const { call, log } = calling()
    call().end(notFound('there is no such thing'))
    call().end()
    expect(log.lines).toEqual([])
  })

  it('has the name that the request gave, whatever its handler finds out, which completes it', async () => {
    const { call, log } = calling()
    const operation = operationsOf(CoreService, anyHandler).find(({ id }) => id === 'Core_DeleteConfigMap')
    const running = call('ann', operation)
    await running.read(() =>
      create(CoreService.method.deleteConfigMap.input, { instance: 'north', name: 'asked' }),
    )
    running.about({ namespace: 'shop', name: 'found' })
    running.end()
    expect(log.audits()).toMatchObject([{ target: { instance: 'north', namespace: 'shop', name: 'asked' } }])
  })

  it.each([true, false])('says that it was a dry run where the request says so: %s', async dryRun => {
    const { call, log } = calling()
    const operations = operationsOf(InstanceService, anyHandler)
    const { createInstance } = InstanceService.method
    const running = call(
      'ann',
      operations.find(({ method }) => method === createInstance),
    )
    await running.read(() => create(createInstance.input, { dryRun }))
    running.end()
    expect(log.audits().map(audit => audit.dryRun === true)).toEqual([dryRun])
  })

  it('has the name of an object of the host that the request gave, and that which the host made where it gave none', async () => {
    const { call, log } = calling()
    const operations = operationsOf(AccessLockService, anyHandler)
    const { createAccessLock, deleteAccessLock } = AccessLockService.method
    const deleted = call(
      'ann',
      operations.find(({ method }) => method === deleteAccessLock),
    )
    await deleted.read(() => create(deleteAccessLock.input, { name: 'asked' }))
    const created = call(
      'ann',
      operations.find(({ method }) => method === createAccessLock),
    )
    await created.read(() => create(createAccessLock.input, { user: 'bob' }))
    for (const running of [deleted, created]) {
      running.about({ name: 'found' })
      running.end()
    }
    expect(log.audits().map(({ verb, name }) => [verb, name])).toEqual([
      ['delete', 'asked'],
      ['create', 'found'],
    ])
  })

  it('has no instance of the name of an object inside one', () => {
    const { call, log } = calling()
    const running = call(
      'ann',
      operationsOf(CoreService, anyHandler).find(({ id }) => id === 'Core_DeleteConfigMap'),
    )
    running.about({ name: 'found' })
    running.end()
    expect(log.audits()).toMatchObject([{ target: { name: 'found' } }])
    expect(log.audits()[0]).not.toHaveProperty('name')
  })
})

/** A handler for each method. */
const anyHandler = new Proxy({}, { get: () => () => ({}) }) as never

describe('what a call may hold of answers', () => {
  it('is one share for all service accounts of a namespace', async () => {
    const { call } = calling()
    const large = async (user: string, instance: string) => {
      const room = call(user)
        .answers.reading(instance)
        .add(40 << 20)
      return Promise.race([
        room?.then(() => 'has room'),
        new Promise(resolve => setImmediate(resolve, 'waits')),
      ])
    }
    expect(await large('system:serviceaccount:ci:a', 'north')).toBe('has room')
    expect(await large('system:serviceaccount:ci:b', 'south')).toBe('waits')
    expect(await large('system:serviceaccount:cd:a', 'west')).toBe('has room')
  })

  it('is needed only until it was sent where the call is a stream', () => {
    const { call } = calling()
    expect(call('ann', { method: listInstances }).answers.lasts).toBe(false)
    expect(call('ann', { method: watchInstances }).answers.lasts).toBe(true)
  })
})
