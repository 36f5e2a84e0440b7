import type { KubeObject } from '../kube/object.js'
import { normalised } from './normalise.js'

/** Whether an object differs, or which side has it. */
export type Standing = 'differs' | 'left' | 'right' | 'same'

/** An object of one or both sides. */
export interface Pair {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string
  readonly standing: Standing
  readonly left?: Record<string, unknown>
  readonly right?: Record<string, unknown>
}

/** The order of rows. */
const ORDER: readonly Standing[] = ['differs', 'left', 'right', 'same']

/** Pairs the objects of two sides by name and compares what they specify. */
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
