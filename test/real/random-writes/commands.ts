import fc from 'fast-check'
import type { Answer, Wire } from '../../conformance/apiserver/wire.js'
import type { Json, Subject } from './subject.js'

/** One write as a client would ask for it; plain data, so that a counterexample can be read and sent again. */
export interface Command {
  readonly verb: 'create' | 'replace' | 'edit' | 'merge' | 'json' | 'strategic-merge' | 'apply' | 'delete'
  readonly body: Json
  readonly manager: string
  readonly force: boolean
  readonly dryRun: boolean
  /** Writes through `/status`. */
  readonly status: boolean
  /** Which resourceVersion the body carries: none, the current one, or one that never was. */
  readonly version: 'none' | 'current' | 'wrong'
}

const managers = fc.constantFrom('one', 'two', 'three')

/** Writes to one object of a type. */
export function commands(subject: Subject): fc.Arbitrary<Command[]> {
  const rarely = fc.oneof(
    { weight: 7, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  )
  const opinion = fc.oneof(
    { weight: 8, arbitrary: subject.opinion },
    { weight: 1, arbitrary: subject.status.map(status => ({ status })) },
  )
  const as = (verb: Command['verb'], body: fc.Arbitrary<Json>): fc.Arbitrary<Command> =>
    fc.record({
      verb: fc.constant(verb),
      body,
      manager: managers,
      force: fc.boolean(),
      dryRun: rarely,
      status: fc.constant(false),
      version: fc.oneof(
        { weight: 8, arbitrary: fc.constant('none' as const) },
        { weight: 1, arbitrary: fc.constant('current' as const) },
        { weight: 1, arbitrary: fc.constant('wrong' as const) },
      ),
    })
  const throughStatus = (verb: Command['verb']): fc.Arbitrary<Command> =>
    as(
      verb,
      subject.status.map(status => ({ status })),
    ).map(command => ({ ...command, status: true }))
  const patches = fc.array(
    fc.record({
      op: fc.constantFrom('add', 'replace', 'remove', 'test'),
      path: fc.constantFrom(...subject.pointers),
      value: fc.constantFrom<Json>('1', 2, 'x', ['a'], { a: '1' }),
    }),
    { minLength: 1, maxLength: 2 },
  )
  const write = fc.oneof(
    { weight: 6, arbitrary: as('apply', opinion) },
    { weight: 2, arbitrary: as('create', opinion) },
    { weight: 2, arbitrary: as('replace', opinion) },
    { weight: 2, arbitrary: as('edit', opinion) },
    { weight: 2, arbitrary: as('merge', opinion.chain(withNulls)) },
    { weight: 1, arbitrary: as('json', patches) },
    { weight: 2, arbitrary: as('strategic-merge', fc.oneof(opinion, subject.directives ?? opinion)) },
    { weight: 1, arbitrary: fc.constantFrom(...statusVerbs).chain(throughStatus) },
    { weight: 1, arbitrary: as('delete', fc.constant(undefined)) },
  )
  return fc
    .tuple(
      fc.constantFrom('create', 'apply').chain(verb => as(verb as 'create', opinion)),
      fc.array(write, { minLength: 1, maxLength: 9 }),
    )
    .map(([first, rest]) => [{ ...first, dryRun: false, version: 'none' as const }, ...rest])
}

const statusVerbs = ['apply', 'edit', 'merge', 'strategic-merge'] as const

/** The same with one of its fields, at any depth, taken back: what null means in a merge patch. */
function withNulls(body: Json): fc.Arbitrary<Json> {
  const paths = (value: Json, at: readonly string[]): (readonly string[])[] =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, below]) => [[...at, key], ...paths(below, [...at, key])])
      : []
  const all = paths(body, [])
  if (all.length === 0) return fc.constant(body)
  return fc.option(fc.constantFrom(...all)).map(path => (path === null ? body : replaced(body, path)))
}

function replaced(value: Json, [key = '', ...rest]: readonly string[]): Json {
  return { ...value, [key]: rest.length === 0 ? null : replaced(value[key], rest) }
}

/** Deep merge of maps; everything else is replaced. */
function merged(base: Json, over: Json): Json {
  const isMap = (value: Json): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)
  if (!isMap(base) || !isMap(over)) return over
  const result = { ...base }
  for (const [key, value] of Object.entries(over)) result[key] = merged(result[key], value)
  return result
}

/** Sends a command to one server. */
export async function send(
  wire: Wire,
  subject: Subject,
  namespace: string,
  name: string,
  { verb, body, manager, force, dryRun, status, version }: Command,
): Promise<Answer> {
  const collection = subject.path(namespace)
  const object = `${collection}/${name}`
  const path = status ? `${object}/status` : object
  const query = { fieldManager: manager, ...(dryRun ? { dryRun: 'All' } : {}) }
  if (verb === 'delete') return wire.delete(object, undefined, dryRun ? { dryRun: 'All' } : {})
  const live = verb === 'edit' || version === 'current' || status ? (await wire.get(object)).body : undefined
  // Nothing is created through the status: what Services allow there is an accident.
  if (status && live?.kind !== subject.kind) return wire.get(object)
  const resourceVersion =
    version === 'none' ? undefined : version === 'wrong' ? '1' : live?.metadata?.resourceVersion
  const full = (base: Json): Json => {
    const typed = merged(base, { apiVersion: subject.apiVersion, kind: subject.kind, metadata: { name } })
    const opinionated = merged(typed, body)
    return resourceVersion === undefined
      ? opinionated
      : merged(opinionated, { metadata: { resourceVersion } })
  }
  switch (verb) {
    case 'create':
      return wire.post(collection, full(subject.least), query)
    case 'replace':
      return wire.put(path, full(subject.least), query)
    case 'edit':
      return wire.put(path, full(live?.kind === subject.kind ? live : subject.least), query)
    case 'apply':
      return wire.apply(path, manager, full(subject.least), { ...query, ...(force ? { force } : {}) })
    case 'json':
      return wire.patch(path, 'json', body, query)
    default:
      return wire.patch(
        path,
        verb,
        resourceVersion === undefined ? body : merged(body, { metadata: { resourceVersion } }),
        query,
      )
  }
}
