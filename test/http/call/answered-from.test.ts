import { describe, expect, it } from 'vitest'
import { sourceHeaders } from '../../../http/call/answered-from.js'

describe('the headers that name an answer’s source', () => {
  it('include the lag of the index and when it was measured, where it was', () => {
    const measuredAt = '2026-11-24T12:00:00.000Z'
    expect(sourceHeaders({ source: 'index', reason: 'Index', lagMs: 7, measuredAt })).toEqual([
      ['Kairship-Source', 'index'],
      ['Kairship-Source-Reason', 'Index'],
      ['Kairship-Index-Lag', '7'],
      ['Kairship-Index-Measured', measuredAt],
    ])
  })

  it('include a warning in characters that a header can carry', () => {
    const warning = 'the instance’s “index” is\nold'
    expect(sourceHeaders({ source: 'karmada', reason: 'Stalled', warning }).at(-1)).toEqual([
      'Warning',
      '299 kairship "the instance\'s ?index? is?old"',
    ])
  })
})
