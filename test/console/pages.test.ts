import { expect, it } from 'vitest'
import { Pages } from '../../console/live/pages.js'

interface Row {
  readonly name: string
  readonly state: string
}
const keyOf = ({ name }: Row) => name
const north = { name: 'north', state: 'ready' }

it('a row is known while its page is kept', () => {
  const pages = new Pages(keyOf)
  const visible = { from: 1, to: 1 }
  pages.set(1, { rows: [north], readAt: 0 }, visible)
  expect(pages.has('north')).toBe(true)
  pages.set(1, { rows: [{ ...north, name: 'south' }], readAt: 0 }, visible)
  expect([pages.has('north'), pages.has('south')]).toEqual([false, true])
  pages.keepOnly({ from: 2, to: 2 })
  expect(pages.has('south')).toBe(false)
})
