/** A copy of an object that lacks some of its keys. */
export const without = <T extends object>(object: T, keys: readonly string[]): T =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))) as T
