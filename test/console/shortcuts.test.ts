import { beforeEach, describe, expect, it } from 'vitest'
import { type Key, Shortcuts } from '../../console/search/shortcuts.js'

const plain = { ctrlKey: false, metaKey: false, altKey: false, inText: false, inTerminal: false }
let time: number
let shortcuts: Shortcuts

beforeEach(() => {
  time = 0
  shortcuts = new Shortcuts(() => time)
})

const press = (key: string, more: Partial<Key> = {}) => shortcuts.read({ ...plain, key, ...more })

describe('shortcuts', () => {
  it('open the search by / and, also in a text, by Ctrl-K and ⌘-K', () => {
    expect(press('/')).toBe('search')
    expect(press('k', { ctrlKey: true, inText: true })).toBe('search')
    expect(press('K', { metaKey: true })).toBe('search')
  })

  it('are ignored in text fields', () => {
    expect(['/', '?', 'g', 'f'].map(key => press(key, { inText: true }))).toEqual(Array(4).fill(undefined))
  })

  it('are ignored in a terminal', () => {
    expect(press('k', { ctrlKey: true, inText: true, inTerminal: true })).toBeUndefined()
  })

  it('open a screen by two keys, the second within a second', () => {
    press('g')
    expect(press('f')).toBe('fleet')
    expect(press('f')).toBeUndefined()
    press('g')
    time = 1_000
    expect(press('e')).toBeUndefined()
  })
})
