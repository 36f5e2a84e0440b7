import { apiVersionOf, type ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { EVENTS } from './event-conversion.js'

/** Where a served type comes from: it decides who answers for it and where discovery lists it. */
export type Origin = 'builtin' | 'custom' | 'aggregated'

/** One resource type in one served version. */
export interface ServedType {
  readonly definition: ResourceDefinition
  readonly origin: Origin
  /** The store's collection, shared by all versions of the type. */
  readonly collection: string
  /** The apiVersion its objects are stored under. */
  readonly storageApiVersion: string
}

/** A served group and version, for discovery. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
  readonly origin: Origin
}

const idOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`
const kindOf = (group: string, version: string, kind: string): string => `${group}/${version}/${kind}`

/** Built-in types, indexed once for all logical clusters that serve the same ones. */
export interface BuiltinTypes {
  readonly byId: ReadonlyMap<string, ServedType>
  readonly byKind: ReadonlyMap<string, ServedType>
  readonly types: readonly ServedType[]
}

const indexes = new WeakMap<readonly ResourceDefinition[], BuiltinTypes>()

/** @param definitions in the order discovery lists them; for one type the first version is the stored one */
export function builtinTypes(definitions: readonly ResourceDefinition[]): BuiltinTypes {
  let index = indexes.get(definitions)
  if (!index) {
    const storage = new Map<string, string>()
    const types = definitions.map((definition): ServedType => {
      const collection = collectionId(definition)
      if (!storage.has(collection)) storage.set(collection, apiVersionOf(definition))
      return {
        definition,
        origin: 'builtin',
        collection,
        storageApiVersion: storage.get(collection) as string,
      }
    })
    index = { types, ...indexed(types) }
    indexes.set(definitions, index)
  }
  return index
}

/** `deployments.apps`; the core group leaves the dot out. The Events of both their groups are one collection. */
export const collectionId = ({
  group,
  plural,
}: {
  readonly group: string
  readonly plural: string
}): string =>
  group === '' || (group === 'events.k8s.io' && plural === EVENTS) ? plural : `${plural}.${group}`

function indexed(types: readonly ServedType[]) {
  const byId = new Map<string, ServedType>()
  const byKind = new Map<string, ServedType>()
  for (const type of types) {
    const { group, version, plural, kind } = type.definition
    byId.set(idOf(group, version, plural), type)
    byKind.set(kindOf(group, version, kind), type)
  }
  return { byId, byKind }
}

/** A number for each definition; logical clusters share those of built-in types and of equal CRDs. */
const numbers = new WeakMap<ResourceDefinition, number>()
let lastNumber = 0

function numberOf(definition: ResourceDefinition): number {
  const known = numbers.get(definition)
  if (known !== undefined) return known
  numbers.set(definition, ++lastNumber)
  return lastNumber
}

/** What one logical cluster serves right now: the shared built-ins and what CRDs and aggregation added. */
export class Catalogue {
  /** Added types by what brought them: the CRD's or the APIService's name. */
  readonly #added = new Map<string, readonly ServedType[]>()
  #byId: ReadonlyMap<string, ServedType> = new Map()
  #byKind: ReadonlyMap<string, ServedType> = new Map()
  #generation = 0
  #fingerprint: string | undefined

  constructor(private readonly builtins: BuiltinTypes) {}

  /** The same for catalogues that serve the same types in the same order, and never for others. */
  get fingerprint(): string {
    this.#fingerprint ??= Array.from(
      this.types(),
      ({ definition, origin }) => `${origin[0]}${numberOf(definition)}`,
    ).join()
    return this.#fingerprint
  }

  /** Grows with every change; discovery and OpenAPI documents are made anew then. */
  get generation(): number {
    return this.#generation
  }

  find(group: string, version: string, plural: string): ServedType | undefined {
    const id = idOf(group, version, plural)
    return this.builtins.byId.get(id) ?? this.#byId.get(id)
  }

  findKind(group: string, version: string, kind: string): ServedType | undefined {
    const id = kindOf(group, version, kind)
    return this.builtins.byKind.get(id) ?? this.#byKind.get(id)
  }

  /** Any served version of a type, by `plural.group`. */
  ofCollection(collection: string): ServedType | undefined {
    for (const type of this.types()) if (type.collection === collection) return type
    return undefined
  }

  *types(): IterableIterator<ServedType> {
    yield* this.builtins.types
    for (const types of this.#added.values()) yield* types
  }

  /** Served groups with their versions: built-ins in their own order, then the others by priority of their version. */
  groupVersions(): GroupVersion[] {
    const seen = new Map<string, GroupVersion>()
    for (const { definition, origin } of this.types()) {
      const { group, version } = definition
      const id = `${group}/${version}`
      if (!seen.has(id)) seen.set(id, { group, version, origin })
    }
    const builtin = [...seen.values()].filter(one => one.origin === 'builtin')
    const added = [...seen.values()].filter(one => one.origin !== 'builtin')
    added.sort((a, b) =>
      a.group === b.group ? compareVersions(a.version, b.version) : a.group < b.group ? -1 : 1,
    )
    return [...builtin, ...added]
  }

  /** Serves these types in place of what `source` brought before; an empty list ends them. */
  serve(source: string, types: readonly ServedType[]): void {
    if (types.length === 0) this.#added.delete(source)
    else this.#added.set(source, types)
    const { byId, byKind } = indexed([...this.#added.values()].flat())
    this.#byId = byId
    this.#byKind = byKind
    this.#generation += 1
    this.#fingerprint = undefined
  }
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then all else by name. Negative when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const rank = (version: string): readonly number[] | undefined => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
    if (!match) return undefined
    const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0
    return [stage, Number(match[1]), Number(match[3] ?? 0)]
  }
  const [left, right] = [rank(a), rank(b)]
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0
  for (let index = 0; index < left.length; index += 1) {
    const difference = (right[index] as number) - (left[index] as number)
    if (difference !== 0) return difference
  }
  return 0
}
