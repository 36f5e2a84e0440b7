import { expect, it } from 'vitest'
import { bounded, compileExpression, Stalled } from '../../../../http/identity/oidc/expressions.js'

/** The process is not let run for so long: it uses no CPU meanwhile. */
const stall = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)

it('what was not let run is run again, and is not taken for slow', () => {
  let times = 0
  const value = bounded(() => {
    times += 1
    if (times === 1) stall()
    return 'read'
  })
  expect([value, times]).toEqual(['read', 2])
})

it('what is never let run says nothing about the token', () => {
  let times = 0
  expect(() =>
    bounded(() => {
      times += 1
      stall()
    }),
  ).toThrow(Stalled)
  expect(times).toBe(5)
})

it('what runs without end is stopped', () => {
  expect(() =>
    bounded(() => {
      for (;;);
    }),
  ).toThrow('the expressions ran for longer than 250 ms')
})

it('replace gives no text that is longer than any token, so that several of them do not end the process', () => {
  const program = compileExpression('claims.a.replace("a", claims.a).replace("a", claims.a)', 'claims')
  expect(() => program({ a: 'a'.repeat(12_000) })).toThrow('more than 65536 characters')
  expect(compileExpression('claims.a.replace("a", "bc")', 'claims')({ a: 'aXa' })).toBe('bcXbc')
})

it('replace gives a text of just so many characters, however many pieces it is made of', () => {
  const program = compileExpression('claims.a.replace("a", claims.b)', 'claims')
  expect(program({ a: 'a', b: 'b'.repeat(65_536) })).toHaveLength(65_536)
  expect(() => program({ a: 'a', b: 'b'.repeat(65_537) })).toThrow('more than 65536 characters')
  expect(program({ a: 'a'.repeat(40_000), b: 'b' })).toBe('b'.repeat(40_000))
})
