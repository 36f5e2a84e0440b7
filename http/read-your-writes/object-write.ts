import { isMet, type Shown } from './expectation.js'
import type { ExpectedWrite } from './expected-write.js'
import type { ShownItem, ShownList } from './shown-list.js'

/** An expected write of one object. */
export type ObjectWrite = ExpectedWrite & { readonly name: string }
/** Whether a write is of one object, and not of many. */
export const isObject = (write: ExpectedWrite): write is ObjectWrite => write.name !== undefined

/** Names an object among those of its type. */
export const keyOf = ({ namespace, name }: Pick<Shown, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`
/** The item of a name. */
export const find = (
  items: readonly ShownItem[],
  at: Pick<Shown, 'namespace' | 'name'>,
): ShownItem | undefined => items.find(item => keyOf(item) === keyOf(at))

/** Whether an object has to be read from the instance before it can be looked for. */
export const isNotUnderstood = ({ expected, shownUid }: ObjectWrite): boolean =>
  expected?.kind === 'unknown' ||
  (expected?.kind === 'gone' &&
    expected.after === undefined &&
    (shownUid === undefined || shownUid !== expected.uid))

/** Whether a list shows what was written, or something later. */
export function isShown(
  write: ObjectWrite,
  { items, resourceVersion }: ShownList,
  hasCaughtUp = false,
): boolean {
  const { expected, shownUid } = write
  if (!expected) return true
  return isMet(expected, find(items, write), {
    hasCaughtUp,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(shownUid !== undefined && { shownUid }),
  })
}
