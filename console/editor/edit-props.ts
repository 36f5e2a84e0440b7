import type { Edit, EditEvent } from './edit.js'

/** What the parts of an editor are given: the edit, and how to say what happens to it. */
export interface EditProps {
  readonly edit: Edit
  readonly send: (event: EditEvent) => void
}
