/** The keys of a JSON pointer (RFC 6901), outermost first; none where the text is no pointer to a member. */
export const pointerTokens = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The value at a JSON pointer; undefined where there is none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document
  for (const key of pointerTokens(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** A map's key as a part of a JSON pointer. */
export const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
