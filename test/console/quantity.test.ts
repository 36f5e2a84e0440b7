import { describe, expect, it } from 'vitest'
import { coresText } from '../../console/parts/quantity.js'
import { en } from '../../console/words/en.js'
import { zh } from '../../console/words/zh.js'

describe('an amount of CPU', () => {
  it.each([
    [0, '0 cores', '0 核'],
    [0.0004, '0.4m', '0.4m'],
    [0.25, '250m', '250m'],
    [0.9999, '1 core', '1 核'],
    [1, '1 core', '1 核'],
    [1.5, '1.5 cores', '1.5 核'],
    [12_345, '12,300 cores', '12,300 核'],
  ])('of %d has its unit: %s', (cores, english, chinese) => {
    expect(coresText(cores, en)).toBe(english)
    expect(coresText(cores, zh)).toBe(chinese)
  })
})
