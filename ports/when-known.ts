/**
 * Goes on with a value at once where it is known, else when it is. Most requests find all that they need known, and a turn of waiting for
 * each of it would be a cost of every request.
 */
export function whenKnown<T, R>(value: T | Promise<T>, then: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(then) : then(value)
}
