import type { Edit, EditEvent } from './edit.js'

/** Props of the editor's parts: the edit, and `send` for its events. */
export interface EditProps {
  readonly edit: Edit
  readonly send: (event: EditEvent) => void
}
