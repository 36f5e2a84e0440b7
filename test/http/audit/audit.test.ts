import { describe, expect, it } from 'vitest'
import { type AuditRecord, type AuditTarget, outcomeOf } from '../../../http/audit/record.js'
import { Code, codeOfStatus } from '../../../transcoding/code.js'
import { fakeLog } from '../fakes/log.js'

const read = { verb: 'get', resource: 'instances/proxy', name: 'north' }
const write = { verb: 'create', resource: 'instances/proxy', name: 'north' }
const secrets: AuditTarget = {
  instance: 'north',
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'secrets',
  namespace: 'kube-system',
}

function recordOf(record: Pick<AuditRecord, 'code'> & Partial<AuditRecord>) {
  const log = fakeLog()
  log.audit.record({
    requestId: 'r',
    wire: 'proxy',
    operation: '/api',
    uri: '/p/api',
    durationMs: 1,
    ...record,
  })
  return log.audits()[0]
}

describe('an audit record', () => {
  it.each([
    [101, 'succeeded', 'OK'],
    [201, 'succeeded', 'OK'],
    [304, 'succeeded', 'OK'],
    [401, 'denied', 'UNAUTHENTICATED'],
    [403, 'denied', 'PERMISSION_DENIED'],
    [404, 'failed', 'NOT_FOUND'],
    [409, 'failed', 'ABORTED'],
    [422, 'failed', 'INVALID_ARGUMENT'],
    [500, 'unknown', 'INTERNAL'],
    [503, 'unknown', 'UNAVAILABLE'],
    [504, 'unknown', 'DEADLINE_EXCEEDED'],
  ])('of a write that the instance answered with %i has %s, %s', (status, outcome, code) => {
    expect(recordOf({ action: write, status, code: codeOfStatus(status) })).toMatchObject({
      outcome,
      code,
      status,
    })
  })

  it('is written for a read that the instance refused, with its type and namespace', () => {
    expect(recordOf({ action: read, target: secrets, status: 403, code: codeOfStatus(403) })).toMatchObject({
      outcome: 'denied',
      verb: 'get',
      target: { verb: 'list', resource: 'secrets', namespace: 'kube-system' },
    })
  })

  it('is not written for a read that was answered or found nothing', () => {
    for (const code of [Code.OK, Code.NOT_FOUND, Code.UNAVAILABLE])
      expect(recordOf({ action: read, target: { ...secrets, resource: 'pods' }, code })).toBeUndefined()
  })

  it('is written for a read of credentials, whatever came of it: of Secrets, and of kubeconfigs', () => {
    for (const code of [Code.OK, Code.NOT_FOUND, Code.UNAVAILABLE])
      expect(recordOf({ action: read, target: secrets, code })).toBeDefined()
    const kubeconfig = { verb: 'get', resource: 'instances/kubeconfig', name: 'north' }
    expect(recordOf({ action: kubeconfig, code: Code.OK })).toBeDefined()
  })

  it('is not written for a read of what another group calls secrets', () => {
    const others = { ...secrets, group: 'vault.example' }
    expect(recordOf({ action: read, target: others, code: Code.OK })).toBeUndefined()
  })

  it('has no more of a path, a user agent and the name of what is not served than a line can hold', () => {
    const long = 'x'.repeat(10_000)
    const log = fakeLog()
    const record = {
      requestId: 'r',
      wire: 'rest',
      operation: long,
      uri: long,
      userAgent: long,
      code: Code.NOT_FOUND,
    }
    log.audit.recordUnknown(record as never)
    const [kept] = log.audits() as { operation: string; uri: string; userAgent: string }[]
    expect([kept?.operation.length, kept?.uri.length, kept?.userAgent.length]).toEqual([256, 2_048, 256])
  })

  it('has no more of the names that a caller sends, in its path or its message, than names can have', () => {
    const long = 'x'.repeat(1_000_000)
    const target = {
      ...{ instance: long, cluster: long, verb: 'delete', group: long, version: long },
      ...{ resource: long, subresource: long, namespace: long, name: long },
    }
    const action = { ...write, name: long }
    const record = { operation: long, uri: long, action, target, code: Code.PERMISSION_DENIED }
    const kept = recordOf(record) as { target: Record<string, string>; name: string; operation: string }
    expect(Object.values(kept.target).map(({ length }) => length)).toEqual([
      256, 256, 6, 256, 256, 256, 256, 256, 256,
    ])
    expect([kept.name.length, kept.operation.length]).toEqual([256, 2_048])
  })
})

it.each([
  ['succeeded', ['OK']],
  ['denied', ['PERMISSION_DENIED', 'UNAUTHENTICATED']],
  ['unknown', ['CANCELLED', 'UNKNOWN', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS']],
  [
    'failed',
    [
      ...['INVALID_ARGUMENT', 'NOT_FOUND', 'ALREADY_EXISTS', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION'],
      ...['ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
    ],
  ],
] as const)('the outcome is %s for %j', (outcome, codes) => {
  for (const code of codes) expect([code, outcomeOf(Code[code])]).toEqual([code, outcome])
})
