import type { Change } from '../../forms/changes.js'
import type { FormObject } from '../../forms/form-text.js'

/** Props of the form of a kind. */
export interface FieldsProps {
  readonly instance: string
  /** The object of the text. */
  readonly object: FormObject
  readonly isNew: boolean
  readonly apply: (...changes: readonly Change[]) => void
}
