import { describe, expect, it } from 'vitest'
import { sourceHeaders } from '../../../http/call/answered-from.js'

describe('the headers that name an answer’s source', () => {
  it('include the lag of the index, where it was measured', () => {
    expect(sourceHeaders({ source: 'index', reason: 'Index', lagMs: 7 })).toEqual([
      ['Kairship-Source', 'index'],
      ['Kairship-Source-Reason', 'Index'],
      ['Kairship-Index-Lag', '7'],
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
