import { beforeEach, describe, expect, it } from 'vitest'
import { SignInCodes } from '../../../http/console/sign-in-codes.js'

let now: number
let codes: SignInCodes
beforeEach(() => {
  now = 5_000
  codes = new SignInCodes(() => now)
})

const refused = /unknown, was used, or is older than ten minutes/

describe('a sign-in code', () => {
  it('stands for the token that it was issued for, once', () => {
    const { code } = codes.issue('mia', 'token of mia')
    expect(codes.redeem(code)).toBe('token of mia')
    expect(() => codes.redeem(code)).toThrow(refused)
  })

  it('is good until ten minutes have passed, and not at that moment', () => {
    const [early, late] = [codes.issue('mia', 'one').code, codes.issue('mia', 'two').code]
    now += 599_999
    expect(codes.redeem(early)).toBe('one')
    now += 1
    expect(() => codes.redeem(late)).toThrow(refused)
  })

  it('has 192 bits that no other has', () => {
    const issued = new Set(Array.from({ length: 10 }, () => codes.issue('mia', 'token').code))
    expect(issued.size).toBe(10)
    for (const code of issued) expect(Buffer.from(code, 'base64url')).toHaveLength(24)
  })

  it('is refused when it was never issued', () => {
    codes.issue('mia', 'token')
    for (const code of ['', 'x', 'constructor', '__proto__'])
      expect(() => codes.redeem(code)).toThrow(refused)
  })

  it('is not issued beyond sixteen of one caller that wait for their use, and others are not affected', () => {
    const issued = Array.from({ length: 16 }, () => codes.issue('mia', 'token').code)
    expect(() => codes.issue('mia', 'token')).toThrow(/too many sign-in codes/)
    expect(codes.redeem(codes.issue('noa', 'of noa').code)).toBe('of noa')
    codes.redeem(issued[0]!)
    expect(codes.issue('mia', 'token').code).not.toBe('')
  })

  it('is not issued beyond sixteen of the ServiceAccounts of one namespace: whoever makes many takes no places of others', () => {
    const of = (namespace: string, name: string | number) =>
      codes.issue(`system:serviceaccount:${namespace}:${name}`, 'token').code
    for (let n = 0; n < 16; n += 1) of('ci', n)
    expect(() => of('ci', 'another')).toThrow(/too many sign-in codes/)
    expect(of('ops', 'ann')).not.toBe('')
    expect(codes.issue('ci', 'token').code).not.toBe('')
  })

  it('makes room when it is over', () => {
    for (let n = 0; n < 16; n += 1) codes.issue('mia', 'token')
    now += 600_000
    expect(codes.issue('mia', 'token').validMs).toBe(600_000)
  })

  it('is not issued beyond a thousand of all callers', () => {
    for (let n = 0; n < 1_000; n += 1) codes.issue(`user ${n}`, 'token')
    expect(() => codes.issue('noa', 'token')).toThrow(/too many sign-in codes/)
  })
})
