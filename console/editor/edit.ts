/** A version of an object that was read from the server. */
export interface Base {
  readonly text: string
  readonly uid: string
  readonly resourceVersion: string
  readonly status?: unknown
}

/** The answer of a dry run. */
export interface Checked {
  /** The object before the change; empty for a new one. */
  readonly before: string
  /** The object after the change. */
  readonly after: string
  readonly warnings: readonly string[]
}

/** The stored objects, each as `kind namespace/name`. */
export type Stored = readonly string[]

/** The state of an edit of an object or of new ones. Every state has the text, so that nothing typed is lost. */
export type Edit = {
  readonly text: string
  /** The object that is edited; absent for new objects. */
  readonly base?: Base
  /** The user's text after they took the server's version; they can take it back. */
  readonly aside?: string
  /** Objects that were stored before another one failed. The text no longer has them. */
  readonly stored: Stored
} & (
  | {
      readonly step: 'editing'
      readonly problem?: Error
      /** The text that caused the problem. */
      readonly refused?: string
      readonly isGone?: boolean
    }
  | { readonly step: 'checking' }
  | { readonly step: 'reviewing' | 'applying'; readonly checked: Checked }
  | { readonly step: 'conflicted'; readonly theirs: Base }
  | { readonly step: 'applied' }
)

/** An event of an edit. */
export type EditEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'check' | 'apply' | 'back' | 'keepMine' | 'takeTheirs' | 'takeBack' | 'createAnew' }
  | { readonly type: 'checked'; readonly checked: Checked }
  /** The server refused it or was not reached. */
  | { readonly type: 'failed'; readonly problem: Error }
  /** The object has changed since it was read. */
  | { readonly type: 'conflicted'; readonly theirs: Base }
  /** The object was deleted since it was read. */
  | { readonly type: 'gone'; readonly problem: Error }
  | { readonly type: 'applied'; readonly stored: Stored }
  /** Some objects are stored; `text` has the others. */
  | {
      readonly type: 'partlyApplied'
      readonly stored: Stored
      readonly text: string
      readonly problem: Error
    }

export const editOf = (text: string, base?: Base): Edit => ({
  step: 'editing',
  text,
  stored: [],
  ...(base && { base }),
})

/** The edit after an event. Events that do not fit the current step change nothing. */
export function reduceEdit(edit: Edit, event: EditEvent): Edit {
  const kept = {
    text: edit.text,
    stored: edit.stored,
    ...(edit.base && { base: edit.base }),
    ...(edit.aside !== undefined && { aside: edit.aside }),
  }
  switch (event.type) {
    case 'typed':
      if (edit.step === 'editing' || edit.step === 'conflicted') return { ...edit, text: event.text }
      if (edit.step === 'reviewing') return { ...kept, step: 'editing', text: event.text }
      return edit
    case 'check':
      return edit.step === 'editing' ? { ...kept, step: 'checking' } : edit
    case 'checked':
      return edit.step === 'checking' ? { ...kept, step: 'reviewing', checked: event.checked } : edit
    case 'back':
      return edit.step === 'reviewing' || edit.step === 'checking' ? { ...kept, step: 'editing' } : edit
    case 'apply':
      return edit.step === 'reviewing' ? { ...edit, step: 'applying' } : edit
    case 'failed':
      return isRequesting(edit)
        ? { ...kept, step: 'editing', problem: event.problem, refused: edit.text }
        : edit
    case 'gone':
      return isRequesting(edit) ? { ...kept, step: 'editing', problem: event.problem, isGone: true } : edit
    case 'createAnew': {
      if (edit.step !== 'editing' || !edit.isGone) return edit
      const { base: _, ...rest } = kept
      return { ...rest, step: 'editing' }
    }
    case 'conflicted':
      return isRequesting(edit) ? { ...kept, step: 'conflicted', theirs: event.theirs } : edit
    case 'keepMine':
      return edit.step === 'conflicted' ? { ...kept, step: 'editing', base: edit.theirs } : edit
    case 'takeTheirs':
      return edit.step === 'conflicted'
        ? { ...kept, step: 'editing', base: edit.theirs, text: edit.theirs.text, aside: edit.text }
        : edit
    case 'takeBack':
      return edit.step === 'editing' && edit.aside !== undefined
        ? { ...kept, step: 'editing', text: edit.aside, aside: edit.text }
        : edit
    case 'partlyApplied':
      return edit.step === 'applying'
        ? {
            ...kept,
            step: 'editing',
            text: event.text,
            stored: [...edit.stored, ...event.stored],
            problem: event.problem,
          }
        : edit
    case 'applied':
      return edit.step === 'applying'
        ? { ...kept, step: 'applied', stored: [...edit.stored, ...event.stored] }
        : edit
  }
}

const isRequesting = ({ step }: Edit): boolean => step === 'checking' || step === 'applying'

/** The text that would be lost on leaving; undefined where none. @param original the first text of a new object */
export function unsavedText({ step, text, base, stored, aside }: Edit, original: string): string | undefined {
  if (step === 'applied') return undefined
  const isChanged = text !== (base?.text ?? original) && !(stored.length > 0 && text === '')
  return isChanged ? text : aside
}
