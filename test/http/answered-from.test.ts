import { describe, expect, it } from 'vitest'
import { sourceHeaders } from '../../http/answered-from.js'

describe('the headers of an answer say where it is from', () => {
  it('with how far the index was behind, where that was measured', () => {
    expect(sourceHeaders({ source: 'index', reason: 'Index', lagMs: 7 })).toEqual([
      ['Kairship-Source', 'index'],
      ['Kairship-Source-Reason', 'Index'],
      ['Kairship-Index-Lag', '7'],
    ])
  })

  it('with a warning in letters that a header can carry', () => {
    const warning = 'the instance’s “index” is\nold'
    expect(sourceHeaders({ source: 'karmada', reason: 'Stalled', warning }).at(-1)).toEqual([
      'Warning',
      '299 kairship "the instance\'s ?index? is?old"',
    ])
  })
})
