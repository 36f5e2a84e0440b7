import { createContext, useContext } from 'react'
import { KubeError } from '../kube/kube-error.js'

/** The server's messages about fields, by path: `spec.ports[0].port`. */
export type Refusals = ReadonlyMap<string, string>

const NONE: Refusals = new Map()

/** The refused fields of a form's text. Empty once the text changed. */
export const RefusalsContext = createContext<Refusals>(NONE)

/** The server's message about a field; undefined where there is none. */
export const useRefusal = (field: string): string | undefined => useContext(RefusalsContext).get(field)

export function refusalsOf(problem: Error | undefined): Refusals {
  if (!(problem instanceof KubeError) || problem.causes.length === 0) return NONE
  return new Map(problem.causes.map(({ field, message }) => [field, message]))
}
