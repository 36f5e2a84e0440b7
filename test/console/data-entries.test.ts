import { describe, expect, it } from 'vitest'
import { configMapEntries, secretEntries } from '../../console/objects/data-entries.js'

describe('the entries of a ConfigMap or a Secret', () => {
  it('are text where their bytes are, with their size in bytes', () => {
    expect(configMapEntries({ data: { a: 'ä' }, binaryData: { b: 'AP8=', c: 'aGk=', d: 'gIA=' } })).toEqual([
      { key: 'a', text: 'ä', bytes: 2 },
      { key: 'b', text: undefined, bytes: 2 },
      { key: 'c', text: 'hi', bytes: 2 },
      { key: 'd', text: undefined, bytes: 2 },
    ])
    expect(secretEntries({ data: { password: 'aGVsbG8=' } })).toEqual([
      { key: 'password', text: 'hello', bytes: 5 },
    ])
  })

  it('are none where there are none, and never throw', () => {
    expect(secretEntries({})).toEqual([])
    expect(secretEntries({ data: { a: '%' } })).toEqual([{ key: 'a', text: undefined, bytes: 1 }])
  })
})
