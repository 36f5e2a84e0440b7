import { expired, invalidFields } from '../errors/failure.js'
import { type Cursor, cursorAfter, firstAfter, type Order } from './cursor.js'

/** The requested page. The contract declares no default size: no size means everything. */
export interface PageRequest {
  readonly page: number
  readonly pageSize: number
  /** The page begins after it, and `page` does not count. */
  readonly after?: Cursor
}

/** A page and its position. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly pagination: { total: number; page: number; pageSize: number; pages: number }
  /** How many items come before it. */
  readonly start: number
  /** Where the next page begins; absent on the last one. */
  readonly next?: Cursor
}

/** @throws Failure INVALID_ARGUMENT for a page that cannot be */
export function checkPage({ page, pageSize }: PageRequest): void {
  const violations = [
    ...(page < 0 ? [{ field: 'page', description: `is ${page}: pages count from 1` }] : []),
    ...(pageSize < -1 ? [{ field: 'pageSize', description: `is ${pageSize}: 0 and -1 mean all` }] : []),
  ]
  if (violations.length > 0) throw invalidFields(violations)
}

/**
 * Cuts one page out of all that matched. Page 0 is page 1; size 0 and -1 are everything; a page past the end is empty.
 * @param all in the order
 * @throws Failure INVALID_ARGUMENT for other negative numbers; OUT_OF_RANGE for a cursor in an order that only an index knows
 */
export function pageOf<T>(all: readonly T[], request: PageRequest, order: Order<T>): Page<T> {
  checkPage(request)
  const { pageSize, after } = request
  if (after?.sorted === 'otherwise') throw orderIsGone()
  const total = all.length
  const size = pageSize > 0 ? pageSize : Number.POSITIVE_INFINITY
  const page = Math.max(1, request.page)
  const start = after ? firstAfter(order, all, after) : page === 1 ? 0 : (page - 1) * size
  const items = all.slice(start, start + size)
  const offset = start + items.length
  return {
    items,
    start: Math.min(start, total),
    pagination: paginationOf({ total, start, page: after ? undefined : page, pageSize }),
    ...(items.length > 0 && offset < total && { next: cursorAfter(order, items, { offset }) }),
  }
}

/** Where a page lies. One that begins after a cursor has the number of the page that its first item is on by now. */
export function paginationOf({
  total,
  start,
  page,
  pageSize,
}: {
  readonly total: number
  readonly start: number
  readonly page: number | undefined
  readonly pageSize: number
}): Page<never>['pagination'] {
  if (pageSize <= 0) return { total, page: page ?? 1, pageSize: total, pages: total > 0 ? 1 : 0 }
  return {
    total,
    page: page ?? Math.floor(start / pageSize) + 1,
    pageSize,
    pages: Math.ceil(total / pageSize),
  }
}

/** The refusal of a cursor that cannot be found any more. */
export const orderIsGone = () =>
  expired(
    'the list was sorted by an index that does not show the position of the page token any more: start over',
  )
