import { describe, expect, it } from 'vitest'
import { auditEventOf } from '../../../http/audit/audit-event.js'
import { recentEventOf } from '../../../http/audit/recent-event.js'
import type { AuditRecord } from '../../../http/audit/record.js'
import { Code } from '../../../transcoding/code.js'

const RECORD: AuditRecord = {
  requestId: 'r-1',
  wire: 'proxy',
  operation: '/api/v1/namespaces/a/secrets/s',
  uri: '/apis/kairship.io/v1alpha1/instances/north/proxy/api/v1/namespaces/a/secrets/s',
  userAgent: 'kubectl/v1.36',
  caller: { user: 'ann', uid: 'u-1', groups: ['dev'], extra: { scopes: ['x'] } },
  action: { verb: 'get', resource: 'instances/proxy', name: 'north' },
  target: {
    ...{ instance: 'north', verb: 'get', group: '', version: 'v1', resource: 'secrets' },
    ...{ namespace: 'a', name: 's' },
  },
  remote: '10.0.0.1',
  source: 'karmada',
  code: Code.OK,
  status: 200,
  isDecided: true,
  durationMs: 1.5,
  endedAt: Date.UTC(2026, 10, 23, 12, 0, 1),
}

describe('an event of the audit log', () => {
  it('of a proxied request names its caller, the object inside the instance, and when it came and ended', () => {
    expect(auditEventOf(RECORD)).toEqual({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'r-1',
      stage: 'ResponseComplete',
      requestURI: RECORD.uri,
      verb: 'get',
      user: { username: 'ann', uid: 'u-1', groups: ['dev'], extra: { scopes: ['x'] } },
      sourceIPs: ['10.0.0.1'],
      userAgent: 'kubectl/v1.36',
      objectRef: { resource: 'secrets', namespace: 'a', name: 's', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2026-11-23T12:00:00.998500Z',
      stageTimestamp: '2026-11-23T12:00:01.000000Z',
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'kairship.io/wire': 'proxy',
        'kairship.io/operation': '/api/v1/namespaces/a/secrets/s',
        'kairship.io/outcome': 'succeeded',
        'kairship.io/code': 'OK',
        'kairship.io/instance': 'north',
        'kairship.io/source': 'karmada',
      },
    })
  })

  it('of a dry run says that it was one, and of no other request', () => {
    const said = (record: AuditRecord) => [
      auditEventOf(record).annotations['kairship.io/dry-run'],
      recentEventOf(record).message,
      recentEventOf(record).details,
    ]
    expect(said({ ...RECORD, dryRun: true })).toEqual([
      'true',
      'dry run: nothing is written',
      { dryRun: true },
    ])
    expect(said(RECORD)).toEqual([undefined, '', undefined])
  })

  it('of a request whose answer has begun has no outcome yet', () => {
    const { annotations, ...event } = auditEventOf({ ...RECORD, stage: 'ResponseStarted' })
    expect(event).toMatchObject({ auditID: 'r-1', stage: 'ResponseStarted', responseStatus: { code: 200 } })
    expect(annotations).not.toHaveProperty('kairship.io/outcome')
    expect(annotations).not.toHaveProperty('kairship.io/code')
  })

  it('of a call about an instance itself names the instance as its object', () => {
    const { target: _, source: _source, status: _status, ...record } = RECORD
    const action = { verb: 'create', resource: 'instances/kubeconfig', name: 'north' }
    expect(auditEventOf({ ...record, wire: 'grpc', action })).toMatchObject({
      verb: 'create',
      objectRef: {
        ...{ resource: 'instances', subresource: 'kubeconfig', name: 'north' },
        ...{ apiGroup: 'kairship.io', apiVersion: 'v1alpha1' },
      },
      responseStatus: { code: 200 },
      annotations: { 'kairship.io/instance': 'north', 'kairship.io/wire': 'grpc' },
    })
  })

  it('of a call about what is no instance, or no object, names no instance, and no object', () => {
    const { target: _, ...record } = RECORD
    const bound = auditEventOf({ ...record, action: { verb: 'get', resource: 'workspaces', name: 'shop' } })
    expect(bound.objectRef).toMatchObject({ resource: 'workspaces', name: 'shop' })
    expect(bound.annotations).not.toHaveProperty('kairship.io/instance')
    const path = auditEventOf({ ...record, action: { verb: 'get', path: '/metrics' } })
    expect(path.verb).toBe('get')
    expect(path).not.toHaveProperty('objectRef')
    expect(path.annotations).not.toHaveProperty('kairship.io/instance')
  })

  it('of a call about a lock says whom it names', () => {
    const { target: _, ...record } = RECORD
    const action = { verb: 'delete', resource: 'accesslocks', name: 'lock-x7' }
    const event = auditEventOf({ ...record, action, details: { user: 'ann' } })
    expect(event).toMatchObject({
      ...{ verb: 'delete', objectRef: { resource: 'accesslocks', name: 'lock-x7' } },
      annotations: { 'kairship.io/message': 'user ann' },
    })
  })

  it('has the HTTP status that the caller received, where codes have only one for several', () => {
    const event = auditEventOf({ ...RECORD, code: Code.INVALID_ARGUMENT, status: 422 })
    expect(event.responseStatus).toEqual({ metadata: {}, status: 'Failure', code: 422 })
  })

  it('of an object of a member names the cluster', () => {
    const { annotations } = auditEventOf({ ...RECORD, target: { ...RECORD.target!, cluster: 'm1' } })
    expect(annotations).toMatchObject({ 'kairship.io/cluster': 'm1', 'kairship.io/instance': 'north' })
  })

  it.each([
    [Code.INVALID_ARGUMENT, 400, 'allow', 'failed'],
    [Code.PERMISSION_DENIED, 403, 'forbid', 'denied'],
    [Code.NOT_FOUND, 404, 'allow', 'failed'],
    [Code.UNAVAILABLE, 503, 'allow', 'unknown'],
  ] as const)(
    'of a refusal over gRPC with the code %i has the HTTP status %i',
    (code, status, decision, outcome) => {
      const { status: _, ...record } = RECORD
      expect(auditEventOf({ ...record, code })).toMatchObject({
        responseStatus: { status: 'Failure', code: status },
        annotations: { 'authorization.k8s.io/decision': decision, 'kairship.io/outcome': outcome },
      })
    },
  )

  it('of a request about which nothing was decided does not say that it was allowed', () => {
    const { isDecided: _, ...record } = RECORD
    const { annotations } = auditEventOf({ ...record, code: Code.INVALID_ARGUMENT, status: 400 })
    expect(annotations).not.toHaveProperty('authorization.k8s.io/decision')
  })

  it('of a caller who was not authenticated is that of system:anonymous, about whom nothing was decided', () => {
    const { caller: _, action: _action, target: _target, ...record } = RECORD
    const event = auditEventOf({ ...record, code: Code.UNAUTHENTICATED, status: 401 })
    expect(event.user).toEqual({ username: 'system:anonymous', groups: ['system:unauthenticated'] })
    expect(event).not.toHaveProperty('objectRef')
    expect(event.annotations).not.toHaveProperty('authorization.k8s.io/decision')
  })
})
