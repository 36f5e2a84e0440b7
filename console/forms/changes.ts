import { type Document, isMap, isNode, isScalar, isSeq, Scalar } from 'yaml'

/** Where a field is: keys, and indices of lists. */
export type Path = readonly (string | number)[]

/** What a form does to a document. Fields that it does not name stay as they are, with their comments and in their order. */
export type Change = (document: Document) => void

/** Sets a field; what is absent or empty takes it away, and with it what is empty then. */
export const setting =
  (path: Path, value: string | number | boolean | object | undefined): Change =>
  document => {
    if (value === undefined || value === '' || value === false || (Array.isArray(value) && !value.length))
      return remove(document, path)
    makeWay(document, path)
    put(document, path, typeof value === 'string' ? textNode(document, value) : value)
  }

/** Sets an entry whose value may be empty, as those of a ConfigMap and of labels. */
export const settingEntry =
  (path: Path, value: string): Change =>
  document => {
    makeWay(document, path)
    put(document, path, textNode(document, value))
  }

/** Gives an entry of a mapping another key: it stays in its place, with its comments. The new key must not be there. */
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

/** Makes a list hold these texts: those that stay keep their comments, new ones come last. */
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

/** Puts one more item at the end of a list. */
export const adding =
  (path: Path, item: object): Change =>
  document => {
    makeWay(document, [...path, 0])
    const found = document.hasIn(path) ? document.getIn(path) : undefined
    if (isSeq(found)) found.add(document.createNode(item))
    else document.setIn(path, document.createNode([item]))
  }

/** Takes a field or an item away. */
export const removing =
  (path: Path): Change =>
  document =>
    remove(document, path)

/** Puts a value in a field: a scalar that is there keeps its comments. */
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

/** Texts that some readers of YAML take for something else than a text, such as `0o17` and `<<`. */
const AMBIGUOUS = /^([-+.]?\d|[=~<]+$)/

function textNode(document: Document, value: string): Scalar {
  const node = document.createNode(value) as Scalar
  if (AMBIGUOUS.test(value) && !value.includes('\n')) node.type = Scalar.QUOTE_DOUBLE
  return node
}

/** A field that is `null`, such as `spec:` alone, holds nothing yet: it gives way. */
function makeWay(document: Document, path: Path): void {
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length)
    const found = document.hasIn(above) ? document.getIn(above, true) : undefined
    if (found === null || (isScalar(found) && found.value === null)) document.deleteIn(above)
  }
}

/** Takes a field away, and the fields above it that are empty then, up to the spec or an item of a list: its row stays. */
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
