import type { DescEnum, JsonValue } from '@bufbuild/protobuf'

/** What is wrong with a value that its enum does not have. */
export function mustBeOneOf({ values }: DescEnum, value: JsonValue): string {
  // The others stand for a field that is not given.
  const names = values.map(({ name }) => name).filter(name => !/(^|_)UNSPECIFIED$/.test(name))
  return `is ${JSON.stringify(value)}, but must be one of ${names.join(', ')}`
}
