import { type Document, isMap, isNode, isScalar, isSeq, Scalar } from 'yaml'

/** The path of a field: keys, and indices of lists. */
export type Path = readonly (string | number)[]

/** A change of a document by a form. Other fields keep their values, comments and order. */
export type Change = (document: Document) => void

/** Sets a field. An absent or empty value removes the field, and parents that are empty then. */
export const setting =
  (path: Path, value: string | number | boolean | object | undefined): Change =>
  document => {
    if (value === undefined || value === '' || value === false || (Array.isArray(value) && !value.length))
      return remove(document, path)
    removeNullParents(document, path)
    put(document, path, typeof value === 'string' ? textNode(document, value) : value)
  }

/** Sets an entry whose value may be empty, as in ConfigMaps and labels. */
export const settingEntry =
  (path: Path, value: string): Change =>
  document => {
    removeNullParents(document, path)
    put(document, path, textNode(document, value))
  }

/** Renames the key of an entry. It keeps its place and comments. The new key must not exist. */
export const renaming =
  (path: Path, key: string): Change =>
  document => {
    const above = document.getIn(path.slice(0, -1))
    const pair = isMap(above)
      ? above.items.find(each => isScalar(each.key) && each.key.value === path.at(-1))
      : undefined
    if (!isMap(above) || !pair || above.has(key)) return
    const named = textNode(document, key)
    if (isScalar(pair.key)) Object.assign(named, commentsOf(pair.key))
    pair.key = named
  }

/** Sets the strings of a list: kept ones keep their comments, new ones are appended. */
export const settingTexts =
  (path: Path, wanted: readonly string[]): Change =>
  document => {
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    if (!isSeq(found) || wanted.length === 0) return setting(path, wanted)(document)
    const textOfItem = (item: unknown) => String(isScalar(item) ? item.value : item)
    found.items = found.items.filter(item => wanted.includes(textOfItem(item)))
    const there = found.items.map(item => textOfItem(item))
    for (const one of wanted) if (!there.includes(one)) found.add(textNode(document, one))
  }

/** Appends an item to a list. */
export const adding =
  (path: Path, item: object): Change =>
  document => {
    removeNullParents(document, [...path, 0])
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    if (isSeq(found)) found.add(document.createNode(item))
    else document.setIn(path, document.createNode([item]))
  }

/** Removes a field or an item. */
export const removing =
  (path: Path): Change =>
  document =>
    remove(document, path)

/** Sets a value: an existing scalar keeps its comments. */
function put(document: Document, path: Path, value: unknown): void {
  const found = document.hasIn(path) ? document.getIn(path, true) : undefined
  const next = isNode(value) ? value : document.createNode(value)
  if (isScalar(found)) Object.assign(next as object, commentsOf(found))
  document.setIn(path, next)
}

const commentsOf = ({ comment, commentBefore, spaceBefore }: Scalar) => ({
  ...(comment != null && { comment }),
  ...(commentBefore != null && { commentBefore }),
  ...(spaceBefore && { spaceBefore }),
})

/** Matches strings that some YAML parsers read as another type, such as `0o17` and `<<`. */
const AMBIGUOUS = /^([-+.]?\d|[=~<]+$)/

function textNode(document: Document, value: string): Scalar {
  const node = document.createNode(value) as Scalar
  if (AMBIGUOUS.test(value) && !value.includes('\n')) node.type = Scalar.QUOTE_DOUBLE
  return node
}

/** A parent that is `null`, such as `spec:` alone, is empty: it is removed. */
function removeNullParents(document: Document, path: Path): void {
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length)
    const found = document.hasIn(above) ? document.getIn(above, true) : undefined
    if (found === null || (isScalar(found) && found.value === null)) document.deleteIn(above)
  }
}

/** Removes a field and its empty parents, up to the spec or an item of a list, whose row stays. */
function remove(document: Document, path: Path): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let length = path.length - 1; length > 1; length -= 1) {
    const above = path.slice(0, length)
    if (typeof above.at(-1) === 'number') return
    const left = document.getIn(above)
    const isEmpty = isNode(left) && (isMap(left) || isSeq(left)) && left.items.length === 0
    if (!isEmpty) return
    document.deleteIn(above)
  }
}
