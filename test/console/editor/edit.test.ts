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
  it('is applied after it was checked, and not without', () => {
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

  it('takes no answer of a check that was given up', () => {
    expect(edited({ type: 'check' }, { type: 'back' }, { type: 'checked', checked }).step).toBe('editing')
  })

  it('keeps both versions of a conflict, and goes on from the newest with what was written', () => {
    const conflicted = edited(typed, { type: 'check' }, { type: 'conflicted', theirs })
    expect(conflicted).toMatchObject({ step: 'conflicted', text: 'mine', theirs, base })
    expect(reduceEdit(conflicted, { type: 'keepMine' })).toMatchObject({
      step: 'editing',
      text: 'mine',
      base: theirs,
    })
  })

  it('gives back what was written when the server’s version was taken', () => {
    const taken = edited(typed, { type: 'check' }, { type: 'conflicted', theirs }, { type: 'takeTheirs' })
    expect(taken).toMatchObject({ text: 'theirs', aside: 'mine', base: theirs })
    expect(reduceEdit(taken, { type: 'takeBack' })).toMatchObject({ text: 'mine', aside: 'theirs' })
  })

  it('of an object that is gone is made a new one only when that is asked for', () => {
    const gone = edited(typed, { type: 'check' }, { type: 'gone', problem })
    expect(gone).toMatchObject({ text: 'mine', base, isGone: true })
    expect(reduceEdit(gone, { type: 'createAnew' })).toEqual({ step: 'editing', text: 'mine', stored: [] })
    expect(edited(typed, { type: 'createAnew' })).toMatchObject({ base })
  })

  it('keeps what is not stored where one of several objects was refused', () => {
    const partly = edited(
      { type: 'check' },
      { type: 'checked', checked },
      { type: 'apply' },
      { type: 'partlyApplied', stored: ['A a'], text: 'b', problem },
    )
    expect(partly).toMatchObject({ step: 'editing', text: 'b', stored: ['A a'], problem })
  })

  it('loses nothing that was typed, whatever happens', () => {
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

  it('has something to lose until it is applied or as it began', () => {
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

  it('would lose what was put aside for the other version, until it is stored', () => {
    const conflict = edited(typed, { type: 'check' }, { type: 'conflicted', theirs }, { type: 'takeTheirs' })
    expect(unsavedText(conflict, 'old')).toBe('mine')
    expect(unsavedText(reduceEdit(conflict, { ...typed, text: 'theirs and more' }), 'old')).toBe(
      'theirs and more',
    )
  })
})

describe('drafts', () => {
  it('are kept up to a number, the newest', () => {
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

  it('are kept up to a number of characters, and the last in any case shorter than that', () => {
    const drafts = new Drafts()
    for (const key of ['a', 'b', 'c']) drafts.keep(key, { text: 'x'.repeat(9_000_000), at: 0 })
    expect(['a', 'b', 'c'].map(key => drafts.of(key) !== undefined)).toEqual([false, true, true])
  })
})
