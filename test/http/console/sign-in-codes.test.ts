import { beforeEach, describe, expect, it } from 'vitest'
import { SignInCodes } from '../../../http/console/sign-in-codes.js'
import {
  type Failure,
  invalidArgument,
  permissionDenied,
  resourceExhausted,
  unauthenticated,
  unavailable,
} from '../../../http/errors/failure.js'
import { deferred } from '../fakes/deferred.js'

let now: number
let codes: SignInCodes
beforeEach(() => {
  now = 5_000
  codes = new SignInCodes(() => now)
})

/** Signs in by a code; answers the token. */
const redeem = (code: string) => codes.redeem(code, async token => token)

const refused = /unknown, was used, or is older than ten minutes/

describe('a sign-in code', () => {
  it('stands for the token that it was issued for, once', async () => {
    const { code } = codes.issue('mia', 'token of mia')
    expect(await redeem(code)).toBe('token of mia')
    await expect(redeem(code)).rejects.toThrow(refused)
  })

  it('is valid for less than ten minutes', async () => {
    const [early, late] = [codes.issue('mia', 'one').code, codes.issue('mia', 'two').code]
    now += 599_999
    expect(await redeem(early)).toBe('one')
    now += 1
    await expect(redeem(late)).rejects.toThrow(refused)
  })

  it('has 192 random bits', () => {
    const issued = new Set(Array.from({ length: 10 }, () => codes.issue('mia', 'token').code))
    expect(issued.size).toBe(10)
    for (const code of issued) expect(Buffer.from(code, 'base64url')).toHaveLength(24)
  })

  it('is refused when it was never issued', async () => {
    codes.issue('mia', 'token')
    for (const code of ['', 'x', 'constructor', '__proto__'])
      await expect(redeem(code)).rejects.toThrow(refused)
  })

  it('is not issued beyond sixteen unused ones of a caller; others are not affected', async () => {
    const issued = Array.from({ length: 16 }, () => codes.issue('mia', 'token').code)
    expect(() => codes.issue('mia', 'token')).toThrow(/too many sign-in codes/)
    expect(await redeem(codes.issue('noa', 'of noa').code)).toBe('of noa')
    await redeem(issued[0]!)
    expect(codes.issue('mia', 'token').code).not.toBe('')
  })

  it('is not issued beyond sixteen of all ServiceAccounts of a namespace', () => {
    const of = (namespace: string, name: string | number) =>
      codes.issue(`system:serviceaccount:${namespace}:${name}`, 'token').code
    for (let n = 0; n < 16; n += 1) of('ci', n)
    expect(() => of('ci', 'another')).toThrow(/too many sign-in codes/)
    expect(of('ops', 'ann')).not.toBe('')
    expect(codes.issue('ci', 'token').code).not.toBe('')
  })

  it('makes room when it has expired', () => {
    for (let n = 0; n < 16; n += 1) codes.issue('mia', 'token')
    now += 600_000
    expect(codes.issue('mia', 'token').validMs).toBe(600_000)
  })

  it('is not issued beyond a thousand of all callers', () => {
    for (let n = 0; n < 1_000; n += 1) codes.issue(`user ${n}`, 'token')
    expect(() => codes.issue('noa', 'token')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('too many sign-in codes'),
        details: { retryAfterSeconds: 600 },
      }),
    )
  })
})

describe('a use of a sign-in code', () => {
  const away = async (): Promise<never> => {
    throw unavailable('the host is away')
  }

  it.each<[string, Failure | Error]>([
    ['the host is away', unavailable('away')],
    ['there are too many of its address', resourceExhausted('wait')],
    ['there is a fault of ours', new TypeError('undefined is not a function')],
  ])('keeps it valid when %s', async (_what, error) => {
    const { code } = codes.issue('mia', 'token')
    await expect(codes.redeem(code, () => Promise.reject(error))).rejects.toBe(error)
    expect(await redeem(code)).toBe('token')
  })

  it.each<[string, Failure]>([
    ['is not accepted', unauthenticated('it has expired')],
    ['is of one who is locked', permissionDenied('locked')],
    ['fits no cookie', invalidArgument('too large')],
  ])('spends it when its token %s', async (_what, error) => {
    const { code } = codes.issue('mia', 'token')
    await expect(codes.redeem(code, () => Promise.reject(error))).rejects.toBe(error)
    await expect(redeem(code)).rejects.toThrow(refused)
  })

  it.each<[string, boolean]>([
    ['succeeds', true],
    ['fails', false],
  ])(
    'is the only one while it is under way, and another is refused, also when the first %s',
    async (_how, succeeds) => {
      const { code } = codes.issue('mia', 'token')
      const review = deferred<void>()
      const first = codes.redeem(code, async token => {
        await review.promise
        return succeeds ? token : away()
      })
      await expect(redeem(code)).rejects.toThrow('is being used by another request')
      review.resolve()
      if (succeeds) expect(await first).toBe('token')
      else await expect(first).rejects.toThrow('away')
      const next = Promise.allSettled([redeem(code), redeem(code)])
      expect((await next).filter(({ status }) => status === 'fulfilled')).toHaveLength(succeeds ? 0 : 1)
    },
  )

  it('spends it after 32 failures', async () => {
    const { code } = codes.issue('mia', 'token')
    for (let n = 0; n < 32; n += 1) await expect(codes.redeem(code, away)).rejects.toThrow('away')
    await expect(redeem(code)).rejects.toThrow(refused)
  })

  it('that fails does not extend its ten minutes', async () => {
    const { code } = codes.issue('mia', 'token')
    const failed = codes.redeem(code, async () => {
      now += 600_000
      return away()
    })
    await expect(failed).rejects.toThrow('away')
    await expect(redeem(code)).rejects.toThrow(refused)
  })
})
