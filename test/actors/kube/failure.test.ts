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

/** A refusal that asks to be left alone. */
const throttled = (retryAfterSeconds: unknown) =>
  new StatusError({
    ...{ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure' },
    ...{ message: 'too many requests', reason: 'TooManyRequests', code: 429 },
    details: { retryAfterSeconds: retryAfterSeconds as number },
  })

it.each([86_400, 31_536_000, Number.POSITIVE_INFINITY])(
  'a server that asks to be left alone for %d s is obeyed for five minutes',
  asked => {
    expect(failureOf(throttled(asked), 'status').retryAfterMs).toBe(300_000)
  },
)

it.each([0, -1, Number.NaN, '7', null])(
  'a server that asks to be left alone for %s s asks for nothing',
  asked => {
    expect(failureOf(throttled(asked), 'status')).not.toHaveProperty('retryAfterMs')
  },
)

it('a server that asks to be left alone is quoted with how long', () => {
  const error = throttled(7)
  expect(failureOf(error, 'status')).toEqual({
    ...{ reason: 'Throttled', stage: 'status', message: 'too many requests' },
    retryAfterMs: 7_000,
  })
})
