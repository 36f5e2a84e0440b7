/** Whether two JSON values are equal; keys that are undefined count as absent, their order does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [one, other] = [entriesOf(a), entriesOf(b)]
  return one.length === other.length && one.every(([key, value]) => sameJson(value, b[key as keyof typeof b]))
}

const entriesOf = (value: object) => Object.entries(value).filter(([, one]) => one !== undefined)
