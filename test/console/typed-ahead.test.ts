import { beforeEach, describe, expect, it } from 'vitest'
import { TypedAhead } from '../../console/search/typed-ahead.js'

const plain = { ctrlKey: false, metaKey: false, altKey: false }
let ahead: TypedAhead

beforeEach(() => {
  ahead = new TypedAhead()
})

const press = (...keys: string[]) => keys.map(key => ahead.take({ ...plain, key }))

describe('what is typed before a field is there', () => {
  it('is what the field has once it is', () => {
    expect(press('e', 'u', '-', 'x', 'Backspace', '𝄞', 'Backspace', 'w', ' ')).not.toContain(false)
    expect(ahead.end()).toBe('eu-w ')
  })

  it('leaves keys that are no text, and those of shortcuts', () => {
    expect(press('Tab', 'Enter', 'ArrowDown', 'Escape')).not.toContain(true)
    for (const held of ['ctrlKey', 'metaKey', 'altKey'])
      expect(ahead.take({ ...plain, key: 'k', [held]: true }), held).toBe(false)
    expect(ahead.end()).toBe('')
  })

  it('is taken once, and the field has every key after that', () => {
    press('a')
    expect(ahead.end()).toBe('a')
    expect([press('b'), ahead.end()]).toEqual([[false], ''])
  })
})
