import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Drafts } from '../../../console/editor/drafts.js'
import { type Edit, type EditEvent, editOf, reduceEdit, unsavedText } from '../../../console/editor/edit.js'

const base = { text: 'old', uid: 'u', resourceVersion: '1' }
const theirs = { text: 'theirs', uid: 'u', resourceVersion: '2' }
const checked = { before: 'old', after: 'new', warnings: [] }
const problem = new Error('no')

const edited = (...events: readonly EditEvent[]): Edit => events.reduce(reduceEdit, editOf('old', base))
const typed: EditEvent = { type: 'typed', text: 'mine' }

describe('an edit', () => {
  it('is applied only after it was checked', () => {
    expect(edited(typed, { type: 'apply' }).step).toBe('editing')
    expect(edited(typed, { type: 'check' }, { type: 'checked', checked }, { type: 'apply' }).step).toBe(
      'applying',
    )
  })

  it('is checked again when it was edited after a review', () => {
    expect(
      edited(typed, { type: 'check' }, { type: 'checked', checked }, { ...typed, text: 'more' }),
    ).toEqual({
      step: 'editing',
      text: 'more',
      base,
      stored: [],
    })
  })

  it('ignores the answer of an aborted check', () => {
    expect(edited({ type: 'check' }, { type: 'back' }, { type: 'checked', checked }).step).toBe('editing')
  })

  it('keeps both versions of a conflict, and continues from the newest with the user’s text', () => {
    const conflicted = edited(typed, { type: 'check' }, { type: 'conflicted', theirs })
    expect(conflicted).toMatchObject({ step: 'conflicted', text: 'mine', theirs, base })
    expect(reduceEdit(conflicted, { type: 'keepMine' })).toMatchObject({
      step: 'editing',
      text: 'mine',
      base: theirs,
    })
  })

  it('restores the user’s text after the server’s version was taken', () => {
    const taken = edited(typed, { type: 'check' }, { type: 'conflicted', theirs }, { type: 'takeTheirs' })
    expect(taken).toMatchObject({ text: 'theirs', aside: 'mine', base: theirs })
    expect(reduceEdit(taken, { type: 'takeBack' })).toMatchObject({ text: 'mine', aside: 'theirs' })
  })

  it('of a deleted object creates a new one only on request', () => {
    const gone = edited(typed, { type: 'check' }, { type: 'gone', problem })
    expect(gone).toMatchObject({ text: 'mine', base, isGone: true })
    expect(reduceEdit(gone, { type: 'createAnew' })).toEqual({ step: 'editing', text: 'mine', stored: [] })
    expect(edited(typed, { type: 'createAnew' })).toMatchObject({ base })
  })

  it('keeps the text that is not stored when one of several objects was refused', () => {
    const partly = edited(
      { type: 'check' },
      { type: 'checked', checked },
      { type: 'apply' },
      { type: 'partlyApplied', stored: ['A a'], text: 'b', problem },
    )
    expect(partly).toMatchObject({ step: 'editing', text: 'b', stored: ['A a'], problem })
  })

  it('loses no typed text in any sequence of events', () => {
    const event = fc.oneof(
      fc
        .constantFrom<EditEvent['type']>('check', 'apply', 'back', 'keepMine', 'createAnew')
        .map(type => ({ type }) as EditEvent),
      fc.constantFrom<EditEvent>(
        { type: 'checked', checked },
        { type: 'failed', problem },
        { type: 'conflicted', theirs },
        { type: 'gone', problem },
        { type: 'applied', stored: ['A a'] },
      ),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), events => {
        expect(edited(typed, ...events).text).toBe('mine')
      }),
    )
  })

  it('has unsaved text until it is applied or back at its beginning', () => {
    expect(unsavedText(edited(), 'old')).toBeUndefined()
    expect(unsavedText(edited(typed), 'old')).toBe('mine')
    expect(unsavedText(edited(typed, { ...typed, text: 'old' }), 'old')).toBeUndefined()
    expect(
      unsavedText(
        edited(
          typed,
          { type: 'check' },
          { type: 'checked', checked },
          { type: 'apply' },
          { type: 'applied', stored: [] },
        ),
        'old',
      ),
    ).toBeUndefined()
  })

  it('has unsaved text set aside for the server’s version, until it is stored', () => {
    const conflict = edited(typed, { type: 'check' }, { type: 'conflicted', theirs }, { type: 'takeTheirs' })
    expect(unsavedText(conflict, 'old')).toBe('mine')
    expect(unsavedText(reduceEdit(conflict, { ...typed, text: 'theirs and more' }), 'old')).toBe(
      'theirs and more',
    )
  })
})

describe('drafts', () => {
  it('are kept up to a number, the newest ones', () => {
    const drafts = new Drafts()
    for (let n = 0; n < 30; n += 1) drafts.keep(`${n}`, { text: 'a', at: n })
    expect(drafts.size).toBe(20)
    expect(drafts.of('9')).toBeUndefined()
    expect(drafts.of('10')).toEqual({ text: 'a', at: 10 })
    // One that is written on is new again.
    drafts.keep('10', { text: 'b', at: 30 })
    drafts.keep('30', { text: 'a', at: 31 })
    expect([drafts.of('10')?.text, drafts.of('11')]).toEqual(['b', undefined])
  })

  it('are kept up to a number of characters, and the last one if it is shorter than that', () => {
    const drafts = new Drafts()
    for (const key of ['a', 'b', 'c']) drafts.keep(key, { text: 'x'.repeat(9_000_000), at: 0 })
    expect(['a', 'b', 'c'].map(key => drafts.of(key) !== undefined)).toEqual([false, true, true])
  })
})
