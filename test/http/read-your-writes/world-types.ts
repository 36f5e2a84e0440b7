import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'

/** Types of the world. Events are served by two groups, and ships only while their definition is there. */
export const types = {
  maps: { group: '', version: 'v1', resource: 'configmaps' },
  events: { group: '', version: 'v1', resource: 'events' },
  newEvents: { group: 'events.k8s.io', version: 'v1', resource: 'events' },
  ships: { group: 'example.com', version: 'v1', resource: 'ships' },
  namespaces: { group: '', version: 'v1', resource: 'namespaces' },
  definitions: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
} as const

export type TypeName = keyof typeof types
export const SHIPS = 'ships.example.com'
export const isContainer = (type: TypeName): boolean => type === 'namespaces' || type === 'definitions'

/** How an index takes changes in: one after the other and knowing how far, or each object at its own pace. */
export type Kind = 'ordered' | 'unordered'

export type Verb = 'create' | 'update' | 'delete' | 'deletecollection'

/** A write as a caller spells it. */
export interface Spelling {
  /** Which characters of its path are percent-encoded; 0 for none. */
  readonly encoded: number
  /** `?dryRun=All`, and whether there is a body beside it that does not repeat it. */
  readonly dryRun: 'no' | 'query' | 'query and body'
}

export const PLAIN: Spelling = { encoded: 0, dryRun: 'no' }

/** Identifies an object by how it is stored: both groups of events have the same objects. */
export const keyOf = ({ resource }: WrittenType, namespace: string, name: string): string =>
  `${resource} ${namespace}/${name}`
