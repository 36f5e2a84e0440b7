import { expect, it } from 'vitest'
import { deadlineExceeded, notFound, unauthenticated, unavailable } from '../../../http/errors/failure.js'
import { isAway } from '../../../http/errors/is-away.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { UnreachableError } from '../../../ports/kube-api.js'

const answered = (code: number) => new StatusError(bareStatus(code, 'so it is'))

it.each<[string, unknown, boolean]>([
  ['no connection', new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED'), true],
  ['500', answered(500), true],
  ['503', answered(503), true],
  ['429, which is no answer to the question', answered(429), true],
  ['499', answered(499), false],
  ['404', answered(404), false],
  ['403', answered(403), false],
  ['UNAVAILABLE', unavailable('not now'), true],
  ['DEADLINE_EXCEEDED', deadlineExceeded('too late'), true],
  ['NOT_FOUND', notFound('none'), false],
  ['UNAUTHENTICATED', unauthenticated('unknown'), false],
  ['a fault of ours', new TypeError('undefined is not a function'), false],
])('that a server is away is said by %s: %#', (_, error, isSaid) => {
  expect(isAway(error)).toBe(isSaid)
})
