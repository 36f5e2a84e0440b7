import type { FleetIndex } from '../index/fleet-index.js'
import type { IndexedObject } from '../index/indexed-object.js'
import type { ResourceIndex } from '../index/resource-index.js'
import type { SortedList } from '../index/sorted-list.js'
import type { Owner, Query } from './query.js'

/** The answer to a list request. */
export interface Page {
  readonly objects: Iterable<IndexedObject>
  readonly length: number
  /** Set when the answer is a whole sorted view: its bytes can be sent without touching the objects. */
  readonly whole?: SortedList<IndexedObject>
  /** Offset of the next page; only when requested and the page is full. */
  readonly continue?: string
  /** Objects after this page; negative when the offset is beyond the end. Only when requested. */
  readonly remaining?: number
}

type Test = (object: IndexedObject) => boolean

/** Answers a list request on one type. */
export function select(index: FleetIndex, type: ResourceIndex, query: Query): Page {
  const [only] = query.clusters
  const cluster = query.clusters.length === 1 && only ? only : ''
  const tests = testsOf(query, owners(index, query))
  const filtered = tests.length > 0 ? view(type, cluster, query, tests) : undefined
  if (filtered) return slice(filtered, query)
  const sorted = type.sorted(cluster, query.order)
  if (tests.length === 0 && query.limit === 0 && query.offset === 0)
    return {
      objects: sorted.from(),
      length: sorted.length,
      whole: sorted,
      ...(query.withRemainingCount && { remaining: 0 }),
    }
  return tests.length === 0 ? slice(sorted, query) : scan(sorted.from(), query, tests)
}

/** The objects that pass, when the same was requested before. Whose children are wanted depends on other types' objects. */
function view(
  type: ResourceIndex,
  cluster: string,
  query: Query,
  tests: readonly Test[],
): SortedList<IndexedObject> | undefined {
  if (query.owner) return undefined
  const { clusters, namespaces, names, fuzzyNames, labels, fields, since, before } = query
  const [label, field] = [labels.requirements, fields.requirements]
  const key = JSON.stringify([clusters, namespaces, names, fuzzyNames, label, field, since, before])
  return type.filtered(cluster, query.order, {
    key,
    admits: object => tests.every(test => test(object)),
  })
}

/** Answers a list request on several types at once. */
export function selectAcross(
  index: FleetIndex,
  types: readonly ResourceIndex[],
  query: Query,
  compare: (one: IndexedObject, other: IndexedObject) => number,
): Page {
  const tests = testsOf(query, owners(index, query))
  const [only] = query.clusters
  const cluster = query.clusters.length === 1 && only ? only : ''
  const objects = types.flatMap(type => [...type.sorted(cluster, query.order).from()])
  return scan(objects.sort(compare), query, tests)
}

function slice(sorted: SortedList<IndexedObject>, query: Query): Page {
  const { offset, limit } = query
  const objects = sorted.slice(offset, limit === 0 ? sorted.length : limit)
  return page(objects, query, sorted.length)
}

function scan(objects: Iterable<IndexedObject>, query: Query, tests: readonly Test[]): Page {
  const end = query.limit === 0 ? Number.POSITIVE_INFINITY : query.offset + query.limit
  const found: IndexedObject[] = []
  let total = 0
  for (const object of objects) {
    if (!tests.every(test => test(object))) continue
    if (total >= query.offset && total < end) found.push(object)
    total++
    if (total >= end && !query.withRemainingCount) break
  }
  return page(found, query, total)
}

function page(objects: readonly IndexedObject[], query: Query, total: number): Page {
  const full = query.withContinue && query.limit > 0 && objects.length === query.limit
  return {
    objects,
    length: objects.length,
    ...(full && { continue: String(query.offset + query.limit) }),
    ...(query.withRemainingCount && { remaining: total - query.offset - objects.length }),
  }
}

/** The cheap tests first: what parses an object runs only on what passed the others. */
function testsOf(query: Query, ownerUids: ReadonlySet<string> | undefined): Test[] {
  const { clusters, namespaces, names, fuzzyNames, labels, fields, since, before } = query
  const tests: Test[] = []
  if (clusters.length > 1) tests.push(oneOf(clusters, object => object.cluster))
  if (namespaces.length > 0) tests.push(oneOf(namespaces, object => object.namespace))
  if (names.length > 0) tests.push(oneOf(names, object => object.name))
  for (const part of fuzzyNames) tests.push(object => object.name.includes(part.trim()))
  if (since !== undefined) tests.push(object => object.createdAt >= since)
  if (before !== undefined) tests.push(object => object.createdAt < before)
  if (ownerUids) tests.push(object => ownerUids.has(object.ownerUid))
  if (labels.requirements.length > 0) tests.push(object => labels.matches(object.labels))
  if (fields.requirements.length > 0) tests.push(object => fields.matches(object.json))
  return tests
}

function oneOf(values: readonly string[], read: (object: IndexedObject) => string): Test {
  if (values.length === 1) return object => read(object) === values[0]
  const wanted = new Set(values)
  return object => wanted.has(read(object))
}

/** The uids whose direct children are wanted. */
function owners(index: FleetIndex, { owner, clusters, namespaces }: Query): ReadonlySet<string> | undefined {
  const [cluster] = clusters
  if (!owner || cluster === undefined) return undefined
  let generation: Set<string> = owner.uid
    ? new Set([owner.uid])
    : namedOwners(index, owner, cluster, namespaces)
  for (let step = 0; step < owner.seniority; step++) generation = index.ownedBy(cluster, generation)
  return generation
}

function namedOwners(
  index: FleetIndex,
  { name, groupResource }: Owner,
  cluster: string,
  namespaces: readonly string[],
): Set<string> {
  const uids = new Set<string>()
  for (const { type, table } of tablesOf(index, cluster)) {
    if (groupResource && (type.group !== groupResource.group || type.resource !== groupResource.resource))
      continue
    for (const object of table.values()) {
      if (object.name !== name) continue
      if (object.namespace && namespaces.length > 0 && !namespaces.includes(object.namespace)) continue
      uids.add(object.uid)
    }
  }
  return uids
}

function* tablesOf(index: FleetIndex, cluster: string) {
  for (const resource of index.types()) {
    const table = resource.table(cluster)
    if (table) yield { type: resource.type, table }
  }
}
