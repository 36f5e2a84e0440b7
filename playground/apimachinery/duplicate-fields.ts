interface Frame {
  /** Keys seen so far; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** What the value being read is called: a key, or an index. */
  at: string | number
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * The paths that a JSON text states more than once (`spec.replicas`, `spec.list[0].name`), each once and in order. JSON.parse
 * keeps the last value and says nothing; `fieldValidation` wants to know. The text must be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  const found = new Set<string>()
  const stack: Frame[] = []
  let key: string | undefined
  for (const [token] of text.matchAll(TOKEN)) {
    const frame = stack.at(-1)
    switch (token) {
      case '{':
        stack.push({ keys: new Set(), at: '' })
        break
      case '[':
        stack.push({ keys: undefined, at: 0 })
        break
      case '}':
      case ']':
        stack.pop()
        break
      case ',':
        if (typeof frame?.at === 'number') frame.at += 1
        break
      case ':':
        if (frame?.keys && key !== undefined) {
          frame.at = key
          if (frame.keys.has(key)) found.add(pathOf(stack))
          frame.keys.add(key)
        }
        break
      default:
        key = JSON.parse(token) as string
    }
  }
  return [...found]
}

const pathOf = (stack: readonly Frame[]): string =>
  stack.reduce(
    (path, { at }) => (typeof at === 'number' ? `${path}[${at}]` : path === '' ? at : `${path}.${at}`),
    '',
  )

/** How a strict or warning answer names such a field. */
export const duplicateProblem = (path: string): string => `duplicate field ${JSON.stringify(path)}`
