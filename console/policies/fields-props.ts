import type { Change } from '../forms/changes.js'
import type { FormFields } from './policy-document.js'

/** What the parts of a policy's form are given. */
export interface FieldsProps {
  readonly spec: FormFields
  readonly apply: (...changes: readonly Change[]) => void
}
