import { invalidFields } from '../errors/failure.js'

/** The requested page. The contract declares no default size: no size means everything. */
export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

/** A page and its position. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly pagination: { total: number; page: number; pageSize: number; pages: number }
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
 * @throws Failure INVALID_ARGUMENT for other negative numbers
 */
export function pageOf<T>(all: readonly T[], request: PageRequest): Page<T> {
  checkPage(request)
  const { page: requested, pageSize: size } = request
  const total = all.length
  const page = Math.max(1, requested)
  if (size <= 0) {
    return {
      items: page === 1 ? all : [],
      pagination: { total, page, pageSize: total, pages: total > 0 ? 1 : 0 },
    }
  }
  const start = (page - 1) * size
  return {
    items: all.slice(start, start + size),
    pagination: { total, page, pageSize: size, pages: Math.ceil(total / size) },
  }
}
