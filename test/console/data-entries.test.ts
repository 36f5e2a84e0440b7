import { describe, expect, it } from 'vitest'
import { configMapEntries, secretEntries } from '../../console/objects/data-entries.js'

describe('what is in a ConfigMap or a Secret', () => {
  it('is text where its bytes are, with its size in bytes', () => {
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

  it('is nothing where there is none, and never fails', () => {
    expect(secretEntries({})).toEqual([])
    expect(secretEntries({ data: { a: '%' } })).toEqual([{ key: 'a', text: undefined, bytes: 1 }])
  })
})
