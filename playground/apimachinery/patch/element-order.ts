import { equal, type Json } from '../json.js'

/**
 * Orders a merged list by `$setElementOrder`: items the patch knows follow its order, items only the server has keep
 * their place relative to the items around them in the old list.
 * @param identity what tells items apart: the merge key's value, or the item itself
 */
export function orderAsPatched(
  merged: readonly Json[],
  order: readonly Json[],
  before: readonly Json[],
  identity: (item: Json) => Json,
): Json[] {
  const positions = (list: readonly Json[]) => {
    const ids = list.map(identity)
    return (item: Json) => ids.findIndex(id => equal(id, identity(item)))
  }
  const wanted = positions(order)
  const formerly = positions(before)
  const known = merged.filter(item => wanted(item) !== -1).sort((a, b) => wanted(a) - wanted(b))
  const serverOnly = merged.filter(item => wanted(item) === -1).sort((a, b) => formerly(a) - formerly(b))
  const result: Json[] = []
  let next = 0
  for (const item of known) {
    const place = formerly(item)
    while (next < serverOnly.length && place !== -1) {
      const waiting = serverOnly[next] as Json
      const was = formerly(waiting)
      if (was === -1 || was > place) break
      result.push(waiting)
      next += 1
    }
    result.push(item)
  }
  return [...result, ...serverOnly.slice(next)]
}
