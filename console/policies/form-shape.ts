import { type Document, isMap, isScalar, isSeq, visit } from 'yaml'

/** What a form goes through: mappings by their fields, lists by what is in them. Fields that it does not name may have any shape. */
type Shape = { readonly [field: string]: Shape } | readonly Shape[]

const clusterNames: Shape = { clusterNames: [] }

/** The parts of a policy that its form reads and writes. */
const POLICY: Shape = {
  spec: {
    resourceSelectors: [{}],
    placement: {
      clusterAffinity: clusterNames,
      replicaScheduling: { weightPreference: { staticWeightList: [{ targetCluster: clusterNames }] } },
    },
    overrideRules: [{ targetCluster: clusterNames, overriders: { imageOverrider: [{}] } }],
  },
}

/** Why a form cannot edit a document without losing or guessing something; undefined where it can. */
export function misfitOf(document: Document): string | undefined {
  let alias: string | undefined
  visit(document, {
    Alias(_, { source }) {
      alias = source
      return visit.BREAK
    },
  })
  // What an alias repeats would be changed in all its places, and a few lines of them are gigabytes when read out.
  if (alias !== undefined)
    return `it has aliases (*${alias}): a form does not change what is in several places`
  return misfitIn(document.contents, POLICY, '')
}

function misfitIn(node: unknown, shape: Shape, path: string): string | undefined {
  if (node === undefined || node === null || (isScalar(node) && node.value === null)) return undefined
  if (isList(shape)) {
    if (!isSeq(node)) return `${path} is no list`
    const [item] = shape
    return item && firstOf(node.items, (each, index) => misfitIn(each, item, `${path}[${index}]`))
  }
  if (!isMap(node)) return `${path} is no mapping`
  return firstOf(Object.entries(shape), ([field, below]) =>
    misfitIn(node.get(field, true), below, path === '' ? field : `${path}.${field}`),
  )
}

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape)

function firstOf<T>(items: readonly T[], find: (item: T, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
