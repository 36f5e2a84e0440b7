import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { requestTimeout, startDeadline } from '../../../http/call/deadline.js'
import { type Failure, unavailable } from '../../../http/errors/failure.js'
import { Code } from '../../../transcoding/code.js'

it.each([
  [undefined, undefined],
  ['2H', 7_200_000],
  ['3M', 180_000],
  ['4S', 4_000],
  ['99999999m', 99_999_999],
  ['5000u', 5],
  ['6000000n', 6],
  ['0m', 0],
])('the grpc-timeout %s is %s milliseconds', (header, milliseconds) => {
  const read = requestTimeout(header)
  if (milliseconds === undefined) expect(read).toBeUndefined()
  else expect(read).toBeCloseTo(milliseconds, 9)
})

it('any number of requests may listen to the signal of one call, without a warning of a leak', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const { signal, clear } = startDeadline([])
  for (let request = 0; request < 20; request += 1) signal.addEventListener('abort', () => undefined)
  await nextTurn()
  process.off('warning', note)
  clear()
  expect(warnings).toEqual([])
})

it.each(['', '5', 'm', '123456789m', '-1S', '1.5S', '5s', ' 5S', '5Sx', '1toString'])(
  'the grpc-timeout %j is refused, with what it may be',
  header => {
    expect(() => requestTimeout(header)).toThrow('is not 1 to 8 digits and one of H M S m u n')
  },
)

it('a call whose caller hangs up ends as cancelled, or with the Failure that ended it', () => {
  const reasonAfter = (reason?: unknown) =>
    startDeadline([AbortSignal.abort(reason)]).signal.reason as Failure
  expect(reasonAfter()).toMatchObject({ code: Code.CANCELLED, message: 'the caller hung up' })
  const stopping = unavailable('it stops')
  expect(reasonAfter(stopping)).toBe(stopping)
})
