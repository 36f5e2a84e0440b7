import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import type { Manifest } from '../manifest.js'
import type { ManifestProblem } from '../manifest-problem.js'
import type { Schema } from './open-api.js'
import type { KindSchema } from './schemas.js'

/** A problem at a place of a text. */
export interface Finding {
  readonly from: number
  readonly to: number
  readonly problem:
    | { readonly is: 'unknownField' | 'missingField'; readonly field: string }
    | { readonly is: 'wrongType'; readonly wanted: string }
    | { readonly is: 'notOneOf'; readonly wanted: readonly string[] }
    /** It is no manifest. */
    | { readonly is: 'unread'; readonly problem: ManifestProblem }
    /** In the server's words. */
    | { readonly is: 'refused'; readonly message: string }
}

/** The most findings of a text; more would not help. */
const MOST_FINDINGS = 50

/** Compares a manifest with the server's schema, as far as that is possible without the server. */
export function findingsIn({ document }: Manifest, { document: openApi, schema }: KindSchema): Finding[] {
  const findings: Finding[] = []
  const report = (node: Node, problem: Finding['problem']) => {
    const [from = 0, to = from] = node.range ?? []
    if (findings.length < MOST_FINDINGS) findings.push({ from, to, problem })
  }
  const visit = (node: unknown, given: Schema | undefined, isRoot: boolean): void => {
    const wanted = openApi.resolved(given)
    if (!wanted || findings.length >= MOST_FINDINGS) return
    if (isMap(node)) {
      if (!isOfType('object', wanted)) {
        report(node, { is: 'wrongType', wanted: wordOf(wanted) })
        return
      }
      for (const pair of node.items as Pair<Node, Node | null>[]) {
        const name = isScalar(pair.key) ? String(pair.key.value) : ''
        const below = openApi.at(wanted, [name])
        const isKnown = below !== undefined || mayHaveOthers(wanted)
        if (!isKnown) report(pair.key, { is: 'unknownField', field: name })
        else if (pair.value !== null) visit(pair.value, below, false)
      }
      for (const field of wanted.required ?? [])
        if (!node.has(field) && !(isRoot && field === 'status'))
          report((isScalar(node.items[0]?.key) ? node.items[0].key : node) as Node, {
            is: 'missingField',
            field,
          })
      return
    }
    if (isSeq(node)) {
      if (!isOfType('array', wanted)) {
        report(node, { is: 'wrongType', wanted: wordOf(wanted) })
        return
      }
      for (const item of node.items) visit(item, wanted.items, false)
      return
    }
    if (!isScalar(node) || isAlias(node) || node.value === null) return
    if (!isScalarOf(node.value, wanted)) report(node, { is: 'wrongType', wanted: wordOf(wanted) })
    else if (wanted.enum && !wanted.enum.some(each => each === node.value))
      report(node, { is: 'notOneOf', wanted: wanted.enum.map(String) })
  }
  visit(document.contents, schema, true)
  return findings
}

const isOfType = (type: string, { type: wanted, ...schema }: Schema): boolean =>
  wanted === undefined || wanted === type || schema['x-kubernetes-preserve-unknown-fields'] === true

const mayHaveOthers = (schema: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties !== undefined ||
  schema.properties === undefined

function isScalarOf(value: unknown, schema: Schema): boolean {
  const { type, format } = schema
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
  if (schema['x-kubernetes-int-or-string'] || format === 'int-or-string')
    return isWhole || typeof value === 'string'
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return isWhole
    case 'number':
      return isWhole || typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
    case 'array':
      return false
    default:
      return true
  }
}

const wordOf = (schema: Schema): string =>
  schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string'
    ? 'int-or-string'
    : (schema.type ?? 'any')

/** Splits `spec.containers[0].image` into steps. */
export function stepsOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(([, index, key, name]) =>
    index === undefined ? (key ?? name ?? '').replace(/^["']|["']$/g, '') : Number(index),
  )
}

/** The place of a field that the server refused, or of its nearest written parent. */
export function placeOf(
  { document, from }: Manifest,
  field: string,
): { readonly from: number; readonly to: number } {
  const steps = stepsOf(field)
  for (let length = steps.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(steps.slice(0, length), true)
    const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
    if (range) return { from: range[0], to: Math.max(range[0] + 1, isScalar(node) ? range[1] : range[0] + 1) }
  }
  return { from, to: from + 1 }
}
