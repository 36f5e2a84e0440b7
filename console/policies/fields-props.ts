import type { Change } from '../forms/changes.js'
import type { FormFields } from './policy-document.js'

/** Props of the parts of a policy's form. */
export interface FieldsProps {
  readonly spec: FormFields
  readonly apply: (...changes: readonly Change[]) => void
}
