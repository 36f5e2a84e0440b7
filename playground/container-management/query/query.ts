import {
  EVERYTHING,
  type LabelRequirement,
  type LabelSelector,
  selectorOf,
} from '../../../manifests/label-selector.js'
import { parseLabelSelector } from '../../apimachinery/label-selector.js'
import { type EnhancedFieldSelector, parseEnhancedFieldSelector } from './field-selector.js'
import { isOrderColumn, ORDER_COLUMNS, type OrderBy } from './order.js'
import { QueryError } from './query-error.js'
import { parseTime } from './time.js'

/** A list request in Clusterpedia's grammar, from URL parameters and `search.clusterpedia.io/*` labels. */
export interface Query {
  /** Empty means all. */
  readonly clusters: readonly string[]
  readonly namespaces: readonly string[]
  readonly names: readonly string[]
  /** Parts that the name must contain, each. */
  readonly fuzzyNames: readonly string[]
  readonly labels: LabelSelector
  readonly fields: EnhancedFieldSelector
  readonly order: readonly OrderBy[]
  /** 0 means no limit. */
  readonly limit: number
  readonly offset: number
  readonly withContinue: boolean
  readonly withRemainingCount: boolean
  readonly onlyMetadata: boolean
  /** Creation at or after, and before; milliseconds. */
  readonly since?: number
  readonly before?: number
  readonly owner?: Owner
}

/** Whose descendants are wanted; `seniority` generations between, 0 for its own. */
export interface Owner {
  readonly uid?: string
  readonly name?: string
  readonly groupResource?: { readonly group: string; readonly resource: string }
  readonly seniority: number
}

const SEARCH = 'search.clusterpedia.io/'
const FUZZY_NAME = 'internalstorage.clusterpedia.io/fuzzy-name'

/** A parameter's values: the URL's if present, else the label's. */
class Parameters {
  readonly #url: URLSearchParams
  readonly #labels: ReadonlyMap<string, readonly string[]>

  constructor(url: URLSearchParams, labels: ReadonlyMap<string, readonly string[]>) {
    this.#url = url
    this.#labels = labels
  }
  list(parameter: string, label: string): readonly string[] {
    const text = this.#url.get(parameter)?.trim()
    if (text) return text.split(',')
    return this.#labels.get(SEARCH + label) ?? []
  }
  /** A label with several values says nothing. */
  one(parameter: string, label: string): string {
    const text = this.#url.get(parameter)
    if (text) return text
    const values = this.#labels.get(SEARCH + label) ?? []
    return values.length === 1 ? (values[0] as string) : ''
  }
  flag(parameter: string, label: string): boolean {
    const text = this.#url.get(parameter) ?? this.#labels.get(SEARCH + label)?.[0]
    return text !== undefined && text !== 'false' && text !== '0'
  }
}

/**
 * Reads a list request.
 * @throws QueryError, SelectorError or FieldSelectorError with what is wrong
 */
export function parseQuery(url: URLSearchParams): Query {
  const selector = parseLabelSelector(url.get('labelSelector') ?? '')
  const [searches, others] = partition(selector.requirements)
  const parameters = new Parameters(url, new Map(searches.map(({ key, values }) => [key, values])))
  const since = parseTime(parameters.one('since', 'since'), 'Since')
  const before = parseTime(parameters.one('before', 'before'), 'Before')
  if (since !== undefined && before !== undefined && before < since)
    throw new QueryError('Invalid Query, Since is after Before')
  const owner = ownerOf(parameters)
  return {
    clusters: parameters.list('clusters', 'clusters'),
    namespaces: parameters.list('namespaces', 'namespaces'),
    names: parameters.list('names', 'names'),
    fuzzyNames: searches.filter(({ key }) => key === FUZZY_NAME).flatMap(({ values }) => values),
    labels: others.length === 0 ? EVERYTHING : selectorOf(others),
    fields: parseEnhancedFieldSelector(url.get('fieldSelector') ?? ''),
    order: orderOf(url.get('orderby'), parameters),
    limit: whole(parameters.one('limit', 'limit'), 'Limit'),
    offset: whole(parameters.one('continue', 'offset'), 'Offset'),
    withContinue: parameters.flag('withContinue', 'with-continue'),
    withRemainingCount: parameters.flag('withRemainingCount', 'with-remaining-count'),
    onlyMetadata: parameters.flag('onlyMetadata', 'only-metadata'),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { before }),
    ...(owner && { owner }),
  }
}

/** Requirements in Clusterpedia's own label namespace are parameters; the rest select labels. */
function partition(requirements: readonly LabelRequirement[]): [LabelRequirement[], LabelRequirement[]] {
  const isSearch = ({ key }: LabelRequirement) => key.includes('clusterpedia.io')
  return [requirements.filter(isSearch), requirements.filter(one => !isSearch(one))]
}

function orderOf(text: string | null, parameters: Parameters): OrderBy[] {
  const separator = text?.trim() ? ' ' : '_'
  return parameters.list('orderby', 'orderby').map(term => {
    const words = term.trim().split(separator)
    const descending = words.length > 1 && words.at(-1) === 'desc'
    if (descending) words.pop()
    if (separator === ' ' && words.length > 1) throw new QueryError('Invalid Query OrderBy')
    const column = words.join(separator)
    if (!isOrderColumn(column))
      throw new QueryError(
        `Invalid Query OrderBy: ${JSON.stringify(column)} is not one of ${ORDER_COLUMNS.join(', ')}`,
      )
    return { column, descending }
  })
}

function whole(text: string, name: string): number {
  if (text === '') return 0
  if (!/^\d{1,15}$/.test(text))
    throw new QueryError(`Invalid Query ${name}(${text}): a whole number is expected`)
  return Number(text)
}

function ownerOf(parameters: Parameters): Owner | undefined {
  const uid = parameters.one('ownerUID', 'owner-uid')
  const name = parameters.one('ownerName', 'owner-name')
  if (!uid && !name) return undefined
  const [resource = '', ...group] = parameters.one('ownerGR', 'owner-gr').split('.')
  return {
    ...(uid && { uid }),
    ...(name && { name }),
    ...(resource && { groupResource: { group: group.join('.'), resource } }),
    seniority: whole(parameters.one('ownerSeniority', 'owner-seniority'), 'OwnerSeniority'),
  }
}
