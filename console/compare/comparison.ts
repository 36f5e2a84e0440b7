import type { KubeObject } from '../kube/object.js'
import { normalised } from './normalise.js'

/** How an object of one side stands to that of the other. */
export type Standing = 'differs' | 'left' | 'right' | 'same'

/** One object of two sides. */
export interface Pair {
  /** `namespace/name`, or the name of what has no namespace. */
  readonly key: string
  readonly standing: Standing
  readonly left?: Record<string, unknown>
  readonly right?: Record<string, unknown>
}

/** What differs comes first. */
const ORDER: readonly Standing[] = ['differs', 'left', 'right', 'same']

/** The objects of two sides by their names, and whether they want the same. */
export function comparedTo(left: readonly KubeObject[], right: readonly KubeObject[]): readonly Pair[] {
  const [lefts, rights] = [byKey(left), byKey(right)]
  const keys = new Set([...lefts.keys(), ...rights.keys()])
  return [...keys]
    .map((key): Pair => {
      const [one, other] = [lefts.get(key), rights.get(key)]
      const standing = !other
        ? 'left'
        : !one
          ? 'right'
          : JSON.stringify(one) === JSON.stringify(other)
            ? 'same'
            : 'differs'
      return { key, standing, ...(one && { left: one }), ...(other && { right: other }) }
    })
    .sort((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing) || (a.key < b.key ? -1 : 1))
}

const byKey = (objects: readonly KubeObject[]): Map<string, Record<string, unknown>> =>
  new Map(
    objects.map(object => {
      const { namespace, name } = object.metadata
      return [namespace ? `${namespace}/${name}` : name, normalised(object)]
    }),
  )
