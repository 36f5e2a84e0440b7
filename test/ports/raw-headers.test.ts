import { expect, it } from 'vitest'
import { eachHeader, someName, valuesOf } from '../../ports/raw-headers.js'

const headers = ['Upgrade', ' one ', 'Expires', 'upgrade', 'UPGRADE', 'two', 'odd']

it('the values of a header are those of its name in any case, trimmed, and of no other name as long, or value', () => {
  expect(valuesOf(headers, 'upgrade')).toEqual(['one', 'two'])
  expect(valuesOf(headers, 'expires')).toEqual(['upgrade'])
  expect(valuesOf(headers, 'odd')).toEqual([])
})

it('each header is visited with its value, up to the last', () => {
  const seen: string[] = []
  eachHeader(headers, (name, value) => seen.push(`${name}=${value}`))
  expect(seen).toEqual(['Upgrade= one ', 'Expires=upgrade', 'UPGRADE=two'])
})

it('some name is found among names only: no value, and no name without a value', () => {
  const found = (text: string) => someName(headers, name => name === text)
  expect([found('Upgrade'), found('UPGRADE')]).toEqual([true, true])
  expect([found('upgrade'), found(' one '), found('odd')]).toEqual([false, false, false])
})
