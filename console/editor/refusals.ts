import { createContext, useContext } from 'react'
import { KubeError } from '../kube/kube-error.js'

/** What the server refused when it was asked last, by the path of its field: `spec.ports[0].port`. */
export type Refusals = ReadonlyMap<string, string>

const NONE: Refusals = new Map()

/** Those of the text that a form edits. Empty once the text is another. */
export const RefusalsContext = createContext<Refusals>(NONE)

/** What the server refused of one field; undefined where it refused nothing. */
export const useRefusal = (field: string): string | undefined => useContext(RefusalsContext).get(field)

export function refusalsOf(problem: Error | undefined): Refusals {
  if (!(problem instanceof KubeError) || problem.causes.length === 0) return NONE
  return new Map(problem.causes.map(({ field, message }) => [field, message]))
}
