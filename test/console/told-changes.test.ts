import { beforeEach, describe, expect, it } from 'vitest'
import { ToldChanges } from '../../console/live/told-changes.js'

interface Row {
  readonly name: string
  readonly version?: string
}

const row = (n: number, version: string): Row => ({ name: `row ${n}`, version })
let changes: ToldChanges<Row>

beforeEach(() => {
  changes = new ToldChanges<Row>({ keyOf: ({ name }) => name, versionOf: ({ version }) => version })
})

/** Reads these rows anew. @returns after how many milliseconds they are to be read again */
const read = (rows: readonly Row[], total = rows.length) => {
  changes.reading()
  return changes.take(rows, total).againMs
}

describe('what a stream has told of a list', () => {
  it('is kept for the thousand rows that changed last', () => {
    for (let n = 0; n < 1_000; n += 1) changes.note(`row ${n}`, { version: '20', row: row(n, '20') }, false)
    changes.note('row 0', { version: '21', row: row(0, '21') }, false)
    changes.note('row 1000', { version: '20', row: row(1_000, '20') }, false)
    const { rows } = changes.take([row(0, '10'), row(1, '10'), row(2, '10')], 3)
    expect(rows).toEqual([row(0, '21'), row(1, '10'), row(2, '20')])
  })

  it('counts no more once the stream starts over', () => {
    changes.count(2)
    changes.note('row 0', { version: '20', row: row(0, '20') }, true)
    changes.clear()
    changes.reading()
    expect(changes.take([row(0, '10')], 1)).toEqual({ rows: [row(0, '10')] })
  })

  it('is newer than a reading with a lower version, which may have fewer digits', () => {
    changes.note('row 0', { version: '10', row: row(0, '10') }, true)
    changes.note('row 1', { version: '10', row: row(1, '10') }, true)
    expect(changes.take([row(0, '9'), row(1, '11')], 2).rows).toEqual([row(0, '10'), row(1, '11')])
  })

  it('has a deleted row read again as long as it is there', () => {
    changes.note('row 0', {}, true)
    expect([read([row(0, '10')]), read([row(0, '10')]), read([])]).toEqual([1_000, 2_000, undefined])
  })

  it('has a row whose version nobody knows read again once', () => {
    changes.note('row 0', {}, true)
    expect([read([{ name: 'row 0' }]), read([{ name: 'row 0' }])]).toEqual([1_000, undefined])
  })
})

describe('a list whose readings stay behind its stream', () => {
  const behind = () => read([row(0, '10')], 1)
  beforeEach(() => {
    changes.count(1)
    changes.note('row 0', { version: '11' }, true)
    expect(Array.from({ length: 7 }, behind)).toEqual([
      ...[1_000, 2_000, 5_000, 10_000, 30_000],
      ...[undefined, undefined],
    ])
  })

  it('is read again when a row in sight changes, and for no other', () => {
    changes.note('row 5', { version: '12' }, false)
    expect(behind()).toBeUndefined()
    changes.note('row 0', { version: '12' }, true)
    expect(behind()).toBeGreaterThan(0)
  })

  it('is read again when there are more or fewer rows, and not when there are as many', () => {
    changes.count(1)
    expect(behind()).toBeUndefined()
    changes.count(2)
    expect(behind()).toBeGreaterThan(0)
  })
})
