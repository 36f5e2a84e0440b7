import { describe, expect, it } from 'vitest'
import { subjectText } from '../../console/access/subjects.js'
import { shownName } from '../../console/parts/shown-name.js'

describe('the name of a user', () => {
  it('shows the characters that make it look like another one', () => {
    expect(shownName('\u202enimda')).toBe('‹U+202E›nimda')
    expect(shownName('ad\u200bmin\u2066')).toBe('ad‹U+200B›min‹U+2066›')
    expect(shownName('admin\n\u0000')).toBe('admin‹U+000A›‹U+0000›')
    expect(subjectText({ kind: 'Group', name: 'a\u200fb', namespace: '' })).toBe('Group a‹U+200F›b')
  })

  it('is unchanged in any script', () => {
    for (const name of ['system:serviceaccount:ci:deployer', '管理员', 'مدير', 'می‌خواهم', 'zoë@example.org'])
      expect(shownName(name)).toBe(name)
  })
})
