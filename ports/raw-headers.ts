/** Calls `visit` for each of the headers. Raw headers are names and values in turn, as they came. */
export function eachHeader(headers: readonly string[], visit: (name: string, value: string) => void): void {
  for (let index = 0; index + 1 < headers.length; index += 2)
    visit(headers[index] ?? '', headers[index + 1] ?? '')
}

/** Whether a header has a name of which this is true. */
export function someName(headers: readonly string[], is: (name: string) => boolean): boolean {
  for (let index = 0; index + 1 < headers.length; index += 2) if (is(headers[index] ?? '')) return true
  return false
}

/** The trimmed values of all headers of a name, which is in lower case. */
export function valuesOf(headers: readonly string[], name: string): string[] {
  const found: string[] = []
  for (let index = 0; index + 1 < headers.length; index += 2)
    if (headers[index]?.length === name.length && headers[index]?.toLowerCase() === name)
      found.push(headers[index + 1]?.trim() ?? '')
  return found
}
