import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@bufbuild/protobuf'
import { isSame, withoutRequestId } from '../scenarios/support/outcome.js'
import type { Answered, Wire } from './api.js'

/** Something that a scenario has had done, and the answer. */
export interface Written {
  readonly rpc: string
  readonly json: JsonValue
}

/** So often in a row must the wires differ: what changes twice between two calls looks like a difference once. */
const DIFFERENCES = 3

/**
 * Calls over both wires what changes nothing: a read, or what is refused. Both must answer alike, a refusal with the same
 * status, message and details. What changed meanwhile is called again.
 * @returns what was answered over the first wire
 * @throws Error for two answers
 */
export async function askBoth(
  rpc: string,
  first: Wire,
  call: (wire: Wire) => Promise<Answered>,
): Promise<Answered> {
  const second = first === 'rest' ? 'grpc' : 'rest'
  let differed = 0
  for (let before = await call(first); ; ) {
    const other = await call(second)
    if (isAlike(before, other)) return before
    const after = await call(first)
    differed = isAlike(before, after) ? differed + 1 : 0
    if (differed === DIFFERENCES) {
      const [one, two] = [before, other].map(({ status, json }) => ({ status, json: withoutRequestId(json) }))
      throw new Error(`${rpc} is answered differently: ${differenceOf(one, two, [first, second])}`)
    }
    before = after
  }
}

const isAlike = (one: Answered, other: Answered): boolean => one.status === other.status && isSame(one, other)

/** What cannot be equal in two answers about two objects, by the name of its field, with the reason. It must be in both. */
const OWN_VALUES: Readonly<Record<string, string>> = {
  resourceVersion: 'counts the writes to a store',
  creationTimestamp: 'the time',
  clusterIP: 'the next one that is free',
  clusterIPs: 'the next ones that are free',
  kubeConfigString: 'has a token of its own',
}

/** The same of single operations. */
const OWN_VALUES_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UpdateJoinedCluster: { generation: 'counts the writes to the member, which all runs have in common' },
  CreateCloudShell: { name: 'made up by Kairship' },
}

/** What controllers write when they come to it, and may not have yet. Reads, which are compared as they are, have it too. */
const OTHERS_WRITE = new Set(['status', 'managedFields'])

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/** What was written over two wires, by two runs of one scenario. @throws Error for two answers */
export function expectSameWrites(
  one: { readonly unique: string; readonly written: readonly Written[] },
  other: { readonly unique: string; readonly written: readonly Written[] },
): void {
  const [rest, grpc] = [one, other].map(({ unique, written }) =>
    written.map(({ rpc, json }) => ({ rpc, json: comparable(rpc, json, unique) })),
  )
  if (!isDeepStrictEqual(rest, grpc))
    throw new Error(`what was written is answered differently: ${differenceOf(rest, grpc, ['rest', 'grpc'])}`)
}

/** An answer as that of another run would be: without values of its own, and without the text that only this run has. */
export function comparable(rpc: string, json: JsonValue, unique: string): JsonValue {
  const own = { ...OWN_VALUES, ...OWN_VALUES_OF[rpc] }
  const ofText = (text: string): string =>
    text.replaceAll(unique, 'RUN').replace(UUID, 'UUID').replace(TIME, 'TIME')
  const of = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return of(manifestIn(value)) ?? ofText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(of)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !OTHERS_WRITE.has(name))
        .map(([name, item]) => [ofText(name), name in own && item ? 'OWN' : of(item)]),
    )
  }
  return of(json)
}

/** The object that a text has, as answers have manifests; null where it has none. */
function manifestIn(text: string): JsonValue {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The first place where two values differ, with both. */
function differenceOf(one: unknown, other: unknown, names: readonly string[], path = ''): string {
  const [a, b] = [one, other].map(value => (isObject(value) ? value : {}))
  if (isObject(one) && isObject(other))
    for (const key of new Set([...Object.keys(a!), ...Object.keys(b!)]))
      if (!isDeepStrictEqual(a![key], b![key]))
        return differenceOf(a![key], b![key], names, path ? `${path}.${key}` : key)
  return `${path} is ${JSON.stringify(one)} over ${names[0]} and ${JSON.stringify(other)} over ${names[1]}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
