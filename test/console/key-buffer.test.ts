import { beforeEach, describe, expect, it } from 'vitest'
import { KeyBuffer } from '../../console/search/key-buffer.js'

const plain = { ctrlKey: false, metaKey: false, altKey: false }
let buffer: KeyBuffer

beforeEach(() => {
  buffer = new KeyBuffer()
})

const press = (...keys: string[]) => keys.map(key => buffer.add({ ...plain, key }))

describe('the text that is typed before a field has the focus', () => {
  it('is the field’s text once it has the focus', () => {
    expect(press('e', 'u', '-', 'x', 'Backspace', '𝄞', 'Backspace', 'w', ' ')).not.toContain(false)
    expect(buffer.takeText()).toBe('eu-w ')
  })

  it('ignores keys that are no text, and those of shortcuts', () => {
    expect(press('Tab', 'Enter', 'ArrowDown', 'Escape')).not.toContain(true)
    for (const held of ['ctrlKey', 'metaKey', 'altKey'])
      expect(buffer.add({ ...plain, key: 'k', [held]: true }), held).toBe(false)
    expect(buffer.takeText()).toBe('')
  })

  it('is taken once, and further keys are left to the field', () => {
    press('a')
    expect(buffer.takeText()).toBe('a')
    expect([press('b'), buffer.takeText()]).toEqual([[false], ''])
  })
})
