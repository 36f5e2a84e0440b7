import { toJson } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { badGateway, Failure, httpStatusOf, invalidFields, notFound } from '../../../http/errors/failure.js'
import { REASONS } from '../../../http/errors/reasons.js'
import { statusOf } from '../../../http/errors/status.js'
import { toFailure } from '../../../http/errors/to-failure.js'
import type { Status } from '../../../manifests/status-error.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import { ServiceError } from '../../../ports/service-error.js'
import { ErrorInfoSchema } from '../../../proto/gen/google/rpc/error_details_pb.js'
import { StatusSchema } from '../../../proto/gen/google/rpc/status_pb.js'
import { Code, codeName, httpStatus } from '../../../transcoding/code.js'
import { errorDetailTypes } from '../../../transcoding/error-details.js'
import { refusal } from '../fakes/host.js'

describe('a refusal of an API server', () => {
  it.each([
    [400, 'BadRequest', 'INVALID_ARGUMENT', 400],
    [401, 'Unauthorized', 'UNAVAILABLE', 502],
    [403, 'Forbidden', 'PERMISSION_DENIED', 403],
    [404, 'NotFound', 'NOT_FOUND', 404],
    [404, '', 'NOT_FOUND', 404],
    [405, 'MethodNotAllowed', 'UNIMPLEMENTED', 501],
    [409, 'AlreadyExists', 'ALREADY_EXISTS', 409],
    [409, 'Conflict', 'ABORTED', 409],
    [409, '', 'ABORTED', 409],
    [410, 'Expired', 'OUT_OF_RANGE', 400],
    [413, 'RequestEntityTooLarge', 'INVALID_ARGUMENT', 400],
    [415, 'UnsupportedMediaType', 'INVALID_ARGUMENT', 400],
    [422, 'Invalid', 'INVALID_ARGUMENT', 400],
    [429, 'TooManyRequests', 'RESOURCE_EXHAUSTED', 429],
    [500, 'InternalError', 'INTERNAL', 500],
    [500, '', 'INTERNAL', 500],
    [502, '', 'UNAVAILABLE', 503],
    [503, 'ServiceUnavailable', 'UNAVAILABLE', 503],
    [504, 'Timeout', 'DEADLINE_EXCEEDED', 504],
    [500, 'ServerTimeout', 'UNAVAILABLE', 503],
    [418, 'Teapot', 'INVALID_ARGUMENT', 400],
    [599, 'Unheard', 'INTERNAL', 500],
  ])('with %i %s becomes %s and HTTP %i', (code, reason, name, http) => {
    const failure = toFailure(refusal(code, reason, 'text'))
    expect([codeName(failure.code), httpStatusOf(failure)]).toEqual([name, http])
    expect(failure.message).toContain('text')
  })

  it('keeps its distinct causes, its reason, and its retry delay', () => {
    const cause = { field: 'spec.a', message: 'too long', reason: 'FieldValueTooLong' }
    const whole = { field: '<nil>', message: 'other rules were not checked', reason: 'FieldValueInvalid' }
    const { details } = toFailure(
      refusal(422, 'Invalid', 'text', {
        causes: [cause, whole, cause, { message: 'x' }],
        retryAfterSeconds: 3,
      }),
    )
    expect(details).toMatchObject({
      reason: 'Invalid',
      retryAfterSeconds: 3,
      violations: [
        { field: 'spec.a', description: 'too long', reason: 'FieldValueTooLong' },
        { field: '', description: 'other rules were not checked' },
      ],
    })
  })

  it.each([
    [1.5, 2],
    [1e300, 2_147_483_647],
    [-1, undefined],
    ['soon', undefined],
  ])('with a retry delay of %j has one of %j seconds on both wires', (said, seconds) => {
    const details = { retryAfterSeconds: said } as Status['details'] & object
    const failure = toFailure(refusal(429, 'TooManyRequests', 'text', details))
    expect(failure.details.retryAfterSeconds).toBe(seconds)
    expect(statusOf(failure).details).toHaveLength(seconds === undefined ? 1 : 2)
  })

  it('does not repeat a patch that could not be applied', () => {
    const why = 'strict decoding error: unknown field "spec.more"'
    const quoted = `Invalid value: ${JSON.stringify('{"password":"a \\ secret"}\n')}: ${why}`
    const causes = [{ field: 'patch', message: quoted, reason: 'FieldValueInvalid' }]
    const failure = toFailure(refusal(422, 'Invalid', ` "" is invalid: patch: ${quoted}`, { causes }))
    expect(failure.message).toBe(`the patch cannot be applied: ${why}`)
    expect(JSON.stringify(failure.details.violations)).not.toContain('secret')
  })

  it('names each field that a type does not have, or that is there twice', () => {
    const why = 'strict decoding error: unknown field "spec.a", duplicate field "spec.b[0].c"'
    const violations = [
      { field: 'spec.a', description: 'there is no such field' },
      { field: 'spec.b[0].c', description: 'is given twice' },
    ]
    const text = `Deployment in version "v1" cannot be handled as a Deployment: ${why}`
    expect(toFailure(refusal(400, 'BadRequest', text)).details).toMatchObject({
      reason: 'BadRequest',
      violations,
    })
    const causes = [{ field: 'patch', message: `Invalid value: "{}": ${why}`, reason: 'FieldValueInvalid' }]
    const patched = refusal(422, 'Invalid', ` "" is invalid: patch: Invalid value: "{}": ${why}`, { causes })
    expect(toFailure(patched).details.violations).toEqual(violations)
  })

  it('is about the whole patch where it names no field of it', () => {
    const causes = [
      { field: 'patch', message: 'Invalid value: "{}": no number', reason: 'FieldValueInvalid' },
    ]
    const { details } = toFailure(refusal(422, 'Invalid', 'text', { causes }))
    expect(details.violations).toEqual([{ field: '', description: 'no number', reason: 'FieldValueInvalid' }])
  })
})

describe('any other error', () => {
  it.each([
    [new UnreachableError('GET /x: connect ECONNREFUSED', 'ECONNREFUSED'), 'UNAVAILABLE', /ECONNREFUSED/],
    [new UnreachableError('GET /x: no answer within 10 s', 'DEADLINE'), 'DEADLINE_EXCEEDED', /10 s/],
    [
      AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError'),
      'DEADLINE_EXCEEDED',
      /deadline/,
    ],
    [new DOMException('gone', 'AbortError'), 'CANCELLED', /cancelled/],
    [new TypeError('secret detail'), 'INTERNAL', /^internal error; the log has it under this request id$/],
    ['text', 'INTERNAL', /^internal error/],
    [undefined, 'INTERNAL', /^internal error/],
  ])('%s becomes %s', (thrown, name, message) => {
    const failure = toFailure(thrown)
    expect(codeName(failure.code)).toBe(name)
    expect(failure.message).toMatch(message)
  })

  it('a Failure stays unchanged', () => {
    const failure = notFound('x')
    expect(toFailure(failure)).toBe(failure)
  })
})

describe('a google.rpc.Status', () => {
  it('has the same message for people and programs', () => {
    const failure = invalidFields([
      { field: 'a.b', description: 'is required' },
      { field: 'c', description: 'is 7' },
    ])
    expect(toJson(StatusSchema, statusOf(failure, 'id-1'), { registry: errorDetailTypes })).toEqual({
      code: 3,
      message: 'a.b: is required (and 1 more)',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [
            { field: 'a.b', description: 'is required' },
            { field: 'c', description: 'is 7' },
          ],
        },
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          ...{ reason: 'Invalid', domain: 'kairship.io' },
        },
        { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'id-1' },
      ],
    })
  })

  it('exists for every code, with an HTTP status', () => {
    for (const code of Object.values(Code)) expect(httpStatus[code]).toBeGreaterThanOrEqual(200)
  })

  it('has a listed reason for every code, and for wrong fields', () => {
    const reasonIn = (failure: Failure) =>
      statusOf(failure)
        .details.map(detail => anyUnpack(detail, ErrorInfoSchema)?.reason)
        .find(reason => reason !== undefined)
    for (const code of Object.values(Code))
      if (code !== Code.OK) expect(REASONS).toHaveProperty(reasonIn(new Failure(code, 'x')) ?? 'none')
    expect(reasonIn(invalidFields([{ field: 'a', description: 'is 7' }]))).toBe('Invalid')
    expect(reasonIn(badGateway('x'))).toBe('BadAnswer')
    expect(reasonIn(notFound('x', { reason: 'InstanceNotFound' }))).toBe('InstanceNotFound')
    expect(reasonIn(toFailure(refusal(409, 'Conflict', 'x')))).toBe('Conflict')
    expect(reasonIn(toFailure(refusal(418, '', 'x')))).toBe('BadRequest')
    expect(reasonIn(toFailure(new ServiceError('gateway', 'x', 'NoRegistry')))).toBe('NoRegistry')
  })
})
