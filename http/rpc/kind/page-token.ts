import type { Call } from '../../call/call.js'
import { expired, invalidFields } from '../../errors/failure.js'
import type { Cursor } from '../../objects/cursor.js'
import { checkPage, type Page, type PageRequest } from '../../objects/paging.js'
import { requestDigest } from './request-digest.js'

/** The fields by which requests ask for a page. */
export interface PageFields {
  readonly page: number
  readonly pageSize: number
  /** Absent or empty for a page by its number. */
  readonly pageToken?: string
}

/** Where a page lies, as messages say it. */
export type Pagination = Page<never>['pagination'] & { readonly nextPageToken?: string }

/** The form of tokens. One of another form, of an earlier or later Kairship, is refused: the walk starts over. */
const FORM = 'page1'
/** Five names of Kubernetes and a digest need less than 2000 characters. */
const LONGEST = 4_000
const SORTED = ['here', 'alike', 'otherwise'] as const

/** The page that a request asks for, and the tokens of the pages after it. */
export class PageTokens {
  /** The page that the request asks for. */
  readonly request: PageRequest
  readonly #digest: () => string

  /**
   * @param more what makes the list another one beyond the request: plain values; functions in them do not count
   * @throws Failure INVALID_ARGUMENT for a page that cannot be, and for a token that is none or is of another list or caller;
   * OUT_OF_RANGE for one of another form
   */
  constructor(request: PageFields, call: Pick<Call, 'caller'>, more: readonly unknown[] = []) {
    const { page, pageSize, pageToken = '' } = request
    checkPage({ page, pageSize })
    const { $typeName } = request as { readonly $typeName?: string }
    const list = { ...request, page: 0, pageSize: 0, pageToken: '' }
    this.#digest = () => requestDigest([$typeName, list, more, call.caller.user])
    this.request = { page, pageSize }
    if (pageToken === '') return
    const after = cursorOf(pageToken, this.#digest())
    if (page !== 0)
      throw wrong('page', `is ${page}, but must be left out beside a pageToken, which says where to go on`)
    this.request = { page, pageSize, after }
  }

  /** Where a page lies, with the token of the next one. */
  pagination({ pagination, next }: Pick<Page<unknown>, 'pagination' | 'next'>): Pagination {
    return { ...pagination, ...(next && { nextPageToken: tokenOf(this.#digest(), next) }) }
  }
}

/**
 * The token of the page after a cursor. It is no secret and gives no right: it says where in the list to go on, in the keys of an object that
 * its caller received, and everything is read and checked as the caller who sends it.
 */
function tokenOf(list: string, { after, offset, sorted, before }: Cursor): string {
  const parts = [list, offset, SORTED.indexOf(sorted), after, before]
  return `${FORM}.${Buffer.from(JSON.stringify(parts)).toString('base64url')}`
}

function cursorOf(token: string, list: string): Cursor {
  const [, form, text] = /^([a-z]+[0-9]+)\.([A-Za-z0-9_-]+)$/.exec(token) ?? []
  if (form === undefined || text === undefined || token.length > LONGEST) throw noToken()
  if (form !== FORM) throw expired('the page token is of another version of Kairship: start over')
  const [of, cursor] = parsed(text)
  // Base64 has several texts for the same bytes, and JSON for the same value: only our own is one.
  if (token !== tokenOf(of, cursor)) throw noToken()
  if (of !== list)
    throw wrong(
      'pageToken',
      'is of another request or caller: repeat the request that it came from, or leave it empty',
    )
  return cursor
}

function parsed(text: string): readonly [list: string, cursor: Cursor] {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw noToken()
  }
  const [list, offset, code, after, before] = Array.isArray(json) ? json : []
  const sorted = SORTED[code as number]
  const isOffset = Number.isSafeInteger(offset) && offset >= 0 && offset < 2 ** 40
  if (typeof list !== 'string' || !isOffset || !sorted || !areTexts(after) || !areTexts(before))
    throw noToken()
  return [list, { offset, sorted, after, before }]
}

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= 8 && value.every(one => typeof one === 'string')

const noToken = () => wrong('pageToken', 'is no token of a page: leave it empty to start over')
const wrong = (field: string, description: string) => invalidFields([{ field, description }])
