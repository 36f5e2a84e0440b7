import type fc from 'fast-check'
import { configMaps } from './config-maps.js'
import { deployments } from './deployments.js'
import { rigs } from './rigs.js'
import { services } from './services.js'

/** A parsed JSON object of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: random objects have every shape
export type Json = any

/** A type whose objects are written at random. */
export interface Subject {
  readonly kind: string
  readonly apiVersion: string
  /** Path of the collection within a namespace. */
  path(namespace: string): string
  /** What a creation must say besides an opinion, so that most creations succeed. */
  readonly least: Json
  /** Partial objects without type and name, as clients send them. Names and values are few, so that writers meet. */
  readonly opinion: fc.Arbitrary<Json>
  /** Partial statuses. */
  readonly status: fc.Arbitrary<Json>
  /** What only strategic merge patches can say; absent where they are not served. */
  readonly directives?: fc.Arbitrary<Json>
  /** JSON pointers worth patching. */
  readonly pointers: readonly string[]
}

export const subjects: readonly Subject[] = [configMaps, deployments, services, rigs]
