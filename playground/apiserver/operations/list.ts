import { badRequest, customStatus, expired, resourceVersionTooLarge } from '../api-status.js'
import type { StoredObject } from '../store/stored-object.js'
import { decodeContinue, encodeContinue } from './continue-token.js'
import { selectionOf } from './selection.js'
import type { Target } from './target.js'

/** One page of a list. */
export interface Page {
  readonly objects: readonly StoredObject[]
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** How long a list waits for a resourceVersion from the future before it gives up, as kube-apiserver's watch cache. */
const FUTURE_WAIT_MS = 3000

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** Lists objects, a page at a time if `limit` says so; all pages show one moment. */
export async function list(target: Target, query: URLSearchParams): Promise<Page> {
  const { store } = target.cluster
  const limit = wholeNumber(query, 'limit')
  const requested = query.get('resourceVersion') ?? ''
  const match = query.get('resourceVersionMatch') ?? ''
  const token = query.get('continue') ?? ''
  checkMatch(requested, match, token)
  const selection = selectionOf(target, query)

  if (token !== '') {
    const { revision, after } = decodeContinue(token)
    if (requested !== '' && requested !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const at = revision === -1 ? store.revision : revision
    const objects = target.collection.listAt(at, target.namespace)
    if (!objects) throw expired(CONTINUE_TOO_OLD, { continue: encodeContinue({ revision: -1, after }) })
    const rest = objects.filter(object => object.key > after && selection.matches(object))
    return page(rest, limit, at, selection.everything)
  }

  const revision = resourceVersionNumber(requested)
  if (revision > store.revision) {
    await futureWait(target)
    if (revision > store.revision) throw resourceVersionTooLarge(revision, store.revision)
  }
  const exact = match === 'Exact' ? revision : undefined
  const objects =
    exact === undefined
      ? target.collection.list(target.namespace)
      : target.collection.listAt(exact, target.namespace)
  if (!objects) throw expired(`The resourceVersion for the provided list is too old.`)
  const selected = selection.everything ? objects : objects.filter(selection.matches)
  return page(selected, limit, exact ?? store.revision, selection.everything)
}

function page(objects: readonly StoredObject[], limit: number, revision: number, countable: boolean): Page {
  const resourceVersion = String(revision)
  if (limit === 0 || objects.length <= limit) return { objects, resourceVersion }
  const shown = objects.slice(0, limit)
  return {
    objects: shown,
    resourceVersion,
    continue: encodeContinue({ revision, after: (shown.at(-1) as StoredObject).key }),
    // With a selector Kubernetes does not know how many remain, and says nothing.
    ...(countable ? { remainingItemCount: objects.length - limit } : {}),
  }
}

async function futureWait({ cluster }: Target): Promise<void> {
  await cluster.delay(FUTURE_WAIT_MS)
}

function checkMatch(requested: string, match: string, token: string): void {
  if (match === '') return
  const refuse = (detail: string) => {
    throw customStatus(
      422,
      'Invalid',
      `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${detail}`,
      {
        group: 'meta.k8s.io',
        kind: 'ListOptions',
        causes: [{ reason: 'FieldValueForbidden', message: detail, field: 'resourceVersionMatch' }],
      },
    )
  }
  if (token !== '') refuse('Forbidden: resourceVersionMatch is forbidden when continue is provided')
  if (requested === '')
    refuse('Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided')
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    refuse(`Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`)
  }
  if (match === 'Exact' && requested === '0') {
    refuse('Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
  }
}

/** What Go says of text that should be a number. */
export const syntaxError = (text: string): string =>
  `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

/** A resourceVersion as a number; '' and '0' are 0. @throws StatusError 400 for anything but digits */
function resourceVersionNumber(text: string): number {
  if (text === '') return 0
  if (!/^\d+$/.test(text)) {
    throw customStatus(400, 'BadRequest', `invalid resource version "${text}": ${syntaxError(text)}`)
  }
  return Number(text)
}

/** A query parameter that is a number from 0; 0 when absent. */
export function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  if (text === '') return 0
  if (!/^-?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`)
  }
  return Math.max(0, Number(text))
}
