import { beforeEach, describe, expect, it } from 'vitest'
import { StreamedChanges } from '../../console/live/streamed-changes.js'

interface Row {
  readonly name: string
  readonly version?: string
}

const row = (n: number, version: string): Row => ({ name: `row ${n}`, version })
let changes: StreamedChanges<Row>

beforeEach(() => {
  changes = new StreamedChanges<Row>({ keyOf: ({ name }) => name, versionOf: ({ version }) => version })
})

/** Reads these rows anew. @returns after how many milliseconds they are to be read again */
const read = (rows: readonly Row[], total = rows.length) => {
  changes.beginRead()
  return changes.merge(rows, total).againMs
}

describe('the changes that a stream sent', () => {
  it('are kept for the thousand rows that changed last', () => {
    for (let n = 0; n < 1_000; n += 1) changes.record(`row ${n}`, { version: '20', row: row(n, '20') }, false)
    changes.record('row 0', { version: '21', row: row(0, '21') }, false)
    changes.record('row 1000', { version: '20', row: row(1_000, '20') }, false)
    const { rows } = changes.merge([row(0, '10'), row(1, '10'), row(2, '10')], 3)
    expect(rows).toEqual([row(0, '21'), row(1, '10'), row(2, '20')])
  })

  it('are dropped when the stream starts over', () => {
    changes.setTotal(2)
    changes.record('row 0', { version: '20', row: row(0, '20') }, true)
    changes.clear()
    changes.beginRead()
    expect(changes.merge([row(0, '10')], 1)).toEqual({ rows: [row(0, '10')] })
  })

  it('replace a row with a lower version, which may have fewer digits', () => {
    changes.record('row 0', { version: '10', row: row(0, '10') }, true)
    changes.record('row 1', { version: '10', row: row(1, '10') }, true)
    expect(changes.merge([row(0, '9'), row(1, '11')], 2).rows).toEqual([row(0, '10'), row(1, '11')])
  })

  it('cause no other read where the stream sent the row', () => {
    changes.record('row 0', { version: '10', row: row(0, '10') }, true)
    expect(read([row(0, '9')])).toBeUndefined()
  })

  it('replace a row of a page that is behind also after one that was not', () => {
    changes.record('row 0', { version: '10', row: row(0, '10') }, true)
    expect(changes.merge([row(0, '11')], 1).rows).toEqual([row(0, '11')])
    expect(changes.merge([row(0, '9')], 1).rows).toEqual([row(0, '10')])
  })

  it('cause another read while a deleted row is still listed', () => {
    changes.record('row 0', {}, true)
    expect([read([row(0, '10')]), read([row(0, '10')]), read([])]).toEqual([1_000, 2_000, undefined])
  })

  it('cause one more read for a row without a version', () => {
    changes.record('row 0', {}, true)
    expect([read([{ name: 'row 0' }]), read([{ name: 'row 0' }])]).toEqual([1_000, undefined])
  })
})

describe('a list whose pages stay behind its stream', () => {
  const behind = () => read([row(0, '10')], 1)
  beforeEach(() => {
    changes.setTotal(1)
    changes.record('row 0', { version: '11' }, true)
    expect(Array.from({ length: 7 }, behind)).toEqual([
      ...[1_000, 2_000, 5_000, 10_000, 30_000],
      ...[undefined, undefined],
    ])
  })

  it('is read again after a second where it was not behind once', () => {
    expect(read([row(0, '11')])).toBeUndefined()
    expect(behind()).toBe(1_000)
  })

  it('is read again when a visible row changes, and for no other', () => {
    changes.record('row 5', { version: '12' }, false)
    expect(behind()).toBeUndefined()
    changes.record('row 0', { version: '12' }, true)
    expect(behind()).toBeGreaterThan(0)
  })

  it('is read again when the total changes, and not when it stays', () => {
    changes.setTotal(1)
    expect(behind()).toBeUndefined()
    changes.setTotal(2)
    expect(behind()).toBeGreaterThan(0)
  })
})
