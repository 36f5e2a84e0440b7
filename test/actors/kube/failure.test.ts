import { expect, it } from 'vitest'
import { failureOf } from '../../../actors/kube/failure.js'
import { StatusError } from '../../../manifests/status-error.js'

it('a control plane that answers 401 fails with Kairship’s own credential as the cause', () => {
  const error = new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: 'Unauthorized',
    reason: 'Unauthorized',
    code: 401,
  })
  expect(failureOf(error, 'control plane')).toEqual({
    reason: 'Unauthorized',
    stage: 'control plane',
    message: "Kairship's own credential is refused (401): Unauthorized",
  })
})

it('a server that asks to be left alone is quoted with how long', () => {
  const error = new StatusError({
    ...{ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure' },
    ...{ message: 'too many requests', reason: 'TooManyRequests', code: 429 },
    details: { retryAfterSeconds: 7 },
  })
  expect(failureOf(error, 'status')).toEqual({
    ...{ reason: 'Throttled', stage: 'status', message: 'too many requests' },
    retryAfterMs: 7_000,
  })
})
