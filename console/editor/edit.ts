/** A version of an object as the server has it, or had it. */
export interface Base {
  readonly text: string
  readonly uid: string
  readonly resourceVersion: string
  readonly status?: unknown
}

/** What a dry run answered. */
export interface Checked {
  /** As the server has it now; empty where there is nothing. */
  readonly before: string
  /** As it would store it. */
  readonly after: string
  readonly warnings: readonly string[]
}

/** What was stored: `apiVersion kind namespace/name` for each object. */
export type Stored = readonly string[]

/** An edit of an object, or of a new one, from the first letter to what is stored. The text is in every state: nothing typed is lost. */
export type Edit = {
  readonly text: string
  /** What the text began with; absent for what is new. */
  readonly base?: Base
  /** A text that was put aside for another, and can be taken back. */
  readonly aside?: string
  /** Objects of the text that were stored before another failed; they are no longer in it. */
  readonly stored: Stored
} & (
  | {
      readonly step: 'editing'
      readonly problem?: Error
      /** The text that the problem is of. */
      readonly refused?: string
      readonly isGone?: boolean
    }
  | { readonly step: 'checking' }
  | { readonly step: 'reviewing' | 'applying'; readonly checked: Checked }
  | { readonly step: 'conflicted'; readonly theirs: Base }
  | { readonly step: 'applied' }
)

/** What happens to an edit. */
export type EditEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'check' | 'apply' | 'back' | 'keepMine' | 'takeTheirs' | 'takeBack' | 'createAnew' }
  | { readonly type: 'checked'; readonly checked: Checked }
  /** The server refused, or was not reached. */
  | { readonly type: 'failed'; readonly problem: Error }
  /** The object has changed since it was read. */
  | { readonly type: 'conflicted'; readonly theirs: Base }
  /** It was deleted since. */
  | { readonly type: 'gone'; readonly problem: Error }
  | { readonly type: 'applied'; readonly stored: Stored }
  /** Some objects are stored; `text` has those that are not. */
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

/** The edit after an event. An event that the state does not know changes nothing. */
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
      return isUnderWay(edit)
        ? { ...kept, step: 'editing', problem: event.problem, refused: edit.text }
        : edit
    case 'gone':
      return isUnderWay(edit) ? { ...kept, step: 'editing', problem: event.problem, isGone: true } : edit
    case 'createAnew': {
      if (edit.step !== 'editing' || !edit.isGone) return edit
      const { base: _, ...rest } = kept
      return { ...rest, step: 'editing' }
    }
    case 'conflicted':
      return isUnderWay(edit) ? { ...kept, step: 'conflicted', theirs: event.theirs } : edit
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

const isUnderWay = ({ step }: Edit): boolean => step === 'checking' || step === 'applying'

/** The text that leaving would lose; undefined where it would lose none. @param original what a new object began with */
export function unsavedText({ step, text, base, stored, aside }: Edit, original: string): string | undefined {
  if (step === 'applied') return undefined
  const isChanged = text !== (base?.text ?? original) && !(stored.length > 0 && text === '')
  return isChanged ? text : aside
}
