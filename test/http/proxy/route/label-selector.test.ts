import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectsAlike } from '../../../../http/proxy/route/read-request.js'
import { parseLabelSelector } from '../../../../playground/apimachinery/label-selector.js'

describe('a label selector', () => {
  it.each([
    'app',
    '!app',
    'app=web',
    'app==web',
    'a.b/c != d',
    'app in (web,db),tier notin ( a , b )',
    'tier=',
  ])('%s selects the same in an index', selector => expect(selectsAlike(selector)).toBe(true))

  it.each([
    '-bad',
    'a=b=c',
    ',',
    ' ',
    'app IN (web)',
    'app=web,',
    'app in web',
    'a'.repeat(64),
    'a=é',
    'n>5',
  ])('%s is answered by the instance', selector => expect(selectsAlike(selector)).toBe(false))

  it('is never passed to an index when an API server would refuse it', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'app',
        'x.io/',
        '-',
        '.',
        '!',
        '=',
        '==',
        '!=',
        ' in ',
        ' notin ',
        '(',
        ')',
        ',',
        ' ',
        'é',
        '_',
        'A1',
      ],
      'b'.repeat(64),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), pieces => {
        const selector = pieces.join('')
        if (selectsAlike(selector)) parseLabelSelector(selector)
      }),
      { numRuns: 20_000 },
    )
  })
})
