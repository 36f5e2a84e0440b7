import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../machines/instance/facts.js'
import { isInDoubt, type Steadiness, steadied, unsaid } from '../../../machines/instance/steadiness.js'

const good: Answer<object> = { ok: true }
const bad: Answer<object> = {
  ok: false,
  failure: { reason: 'Unreachable', stage: 'control plane', message: 'no route' },
}

/** `+` an answer, `-` a failure; returns what is said after each. */
const said = (answers: string): string => {
  let state: Steadiness<object> = unsaid
  return [...answers]
    .map(sign => {
      state = steadied(state, sign === '+' ? good : bad)
      return state.said?.ok ? '+' : '-'
    })
    .join('')
}

describe('the opinion from repeated probes', () => {
  it.each([
    ['the first answer counts at once, good or bad', '+', '+'],
    ['the first answer counts at once, good or bad', '-', '-'],
    ['two failures in a row change nothing', '+--+', '++++'],
    ['three failures in a row turn it', '+---', '+++-'],
    ['failures that are not in a row do not add up', '+--+--+', '+++++++'],
    ['one success does not mend it', '-+-', '---'],
    ['two successes in a row do', '-++', '--+'],
    ['what flaps stays what it was', '+-+-+-+-', '++++++++'],
  ])('%s: %s', (_claim, answers, opinions) => expect(said(answers)).toBe(opinions))

  it('is in doubt while it is bad or the last answers contradict it', () => {
    expect(isInDoubt(unsaid)).toBe(false)
    expect(isInDoubt(steadied(unsaid, good))).toBe(false)
    expect(isInDoubt(steadied(steadied(unsaid, good), bad))).toBe(true)
    expect(isInDoubt(steadied(unsaid, bad))).toBe(true)
  })

  it('reports another failure at once while it is bad', () => {
    const other = { ...bad, failure: { ...bad.failure, reason: 'CertificateInvalid' as const } }
    expect(steadied(steadied(unsaid, bad), other).said).toBe(other)
  })
})
