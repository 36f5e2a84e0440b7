import type { Change } from '../../forms/changes.js'
import type { FormObject } from '../../forms/form-text.js'

/** What the form of a kind is given. */
export interface FieldsProps {
  readonly instance: string
  /** The object as the text has it. */
  readonly object: FormObject
  readonly isNew: boolean
  readonly apply: (...changes: readonly Change[]) => void
}
