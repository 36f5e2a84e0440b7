/**
 * JSON with sorted keys and without undefined: equal values give equal strings, whatever the order of their keys. For
 * plain data; written out because every event of every instance asks for it, and a replacer is several times as slow.
 */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const members: string[] = []
  for (const key of sorted(Object.keys(value))) {
    const part = (value as Readonly<Record<string, unknown>>)[key]
    if (part !== undefined) members.push(`${JSON.stringify(key)}:${canonical(part)}`)
  }
  return `{${members.join()}}` // joined, because V8 keeps a text that was added up as the tree of its parts
}

/** Most objects are written with few keys, and many in order. */
function sorted(keys: string[]): readonly string[] {
  for (let at = 1; at < keys.length; at++)
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort()
  return keys
}

/** The text that is kept already, where it is the same: equal texts that were made apart are as many texts in memory. */
export const sameText = (kept: string | undefined, text: string): string => (kept === text ? kept : text)
