import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MarkRemover } from '../../../../http/proxy/index/mark-remover.js'

const KEY = 'shadow.clusterpedia.io/cluster-name'
const mark = `"${KEY}":"k-eu-west"`

/** What comes out when the text comes in in pieces that end at these places. */
function cleaned(text: string, cuts: readonly number[] = []): string {
  const unmarked = new MarkRemover(mark)
  const bytes = Buffer.from(text)
  const ends = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const pieces = [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
  return Buffer.concat([...pieces.map(piece => Buffer.from(unmarked.push(piece))), unmarked.end()]).toString()
}

describe('the removal of the index’s own annotations', () => {
  it.each([
    [
      `{"metadata":{"name":"x","annotations":{"a":"b",${mark}}}}`,
      '{"metadata":{"name":"x","annotations":{"a":"b"}}}',
    ],
    [`{"metadata":{"annotations":{${mark},"z":"b"}}}`, '{"metadata":{"annotations":{"z":"b"}}}'],
    [`{"metadata":{"name":"x","annotations":{${mark}}}}`, '{"metadata":{"name":"x"}}'],
    [`{"metadata":{"annotations":{${mark}},"name":"x"}}`, '{"metadata":{"name":"x"}}'],
    [`{"metadata":{"annotations":{${mark}}}}`, '{"metadata":{}}'],
  ])('applies to %s', (text, clean) => expect(cleaned(text)).toBe(clean))

  it('keeps text that only quotes them', () => {
    const text = JSON.stringify({ data: { note: `{${mark}}` } })
    expect(cleaned(text)).toBe(text)
  })

  it('keeps keys that only end like them', () => {
    const own = `{"annotations":{"other.io/cluster-name":"k-eu-west","a":"b"}}`
    expect(cleaned(`[${own},{"annotations":{"a":"b",${mark}}}]`)).toBe(`[${own},{"annotations":{"a":"b"}}]`)
  })

  it('works for any chunk boundaries and any number of objects', () => {
    const annotations = fc.dictionary(fc.constantFrom('a', 'b', KEY), fc.constantFrom('', 'é', 'x'), {
      maxKeys: 2,
    })
    const object = fc.record({ annotations: fc.option(annotations, { nil: undefined }), data: fc.string() })
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 6 }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 12 }),
        (objects, first, cuts) => {
          const plain = objects.map(({ annotations = {}, data }) => {
            const { [KEY]: _, ...own } = annotations
            return { own, data }
          })
          const marked = plain.map(({ own, data }) => {
            const added = { [KEY]: 'k-eu-west' }
            return {
              metadata: { name: 'x', annotations: first ? { ...added, ...own } : { ...own, ...added } },
              data,
            }
          })
          const expected = plain.map(({ own, data }) => ({
            metadata: { name: 'x', ...(Object.keys(own).length > 0 && { annotations: own }) },
            data,
          }))
          expect(cleaned(JSON.stringify(marked), cuts)).toBe(JSON.stringify(expected))
        },
      ),
    )
  })

  it('emits an event of a watch without waiting for the next', () => {
    const unmarked = new MarkRemover(mark)
    const event = `{"type":"ADDED","object":{"metadata":{"annotations":{${mark}}}}}\n`
    expect(unmarked.push(Buffer.from(event)).toString()).toBe('{"type":"ADDED","object":{"metadata":{}}}\n')
  })
})
