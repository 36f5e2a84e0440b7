import fc from 'fast-check'
import type { Json } from './subject.js'

/** An object with any of the given fields. */
export function some(fields: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<Json> {
  return fc.record(fields, { requiredKeys: [] })
}

/** A short list, duplicates and any order included. */
export function few(of: fc.Arbitrary<Json>, maxLength = 3): fc.Arbitrary<Json> {
  return fc.array(of, { maxLength })
}

export const one = fc.constantFrom

/** A small map of strings. */
export const words: fc.Arbitrary<Json> = fc.dictionary(one('a', 'b', 'c'), one('1', '2', ''), { maxKeys: 3 })

/**
 * What clients say in metadata besides a name. Nothing is empty here: of a custom object, kube-apiserver stores an empty
 * map as applied and takes it out at the next write, which then counts as a change.
 */
export const metadata: fc.Arbitrary<Json> = some({
  labels: fc.dictionary(one('a', 'b', 'c'), one('1', '2', ''), { minKeys: 1, maxKeys: 3 }),
  annotations: fc.dictionary(one('a', 'b', 'c'), one('1', '2', ''), { minKeys: 1, maxKeys: 3 }),
  ownerReferences: fc.uniqueArray(
    fc.record({
      // Of a type that no server knows, so that garbage collectors let their dependents be.
      apiVersion: fc.constant('random.example.test/v1'),
      kind: fc.constant('Nobody'),
      name: one('p', 'q'),
      uid: one('uid-p', 'uid-q'),
    }),
    { minLength: 1, maxLength: 2, comparator: (a, b) => a.name === b.name && a.uid === b.uid },
  ),
}).chain(usual =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    {
      weight: 1,
      arbitrary: fc
        .array(one('example.test/a', 'example.test/b'), { minLength: 1, maxLength: 2 })
        .map(finalizers => ({ ...usual, finalizers })),
    },
  ),
)
