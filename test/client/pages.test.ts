import { describe, expect, it } from 'vitest'
import { ApiError } from '../../client/errors.js'
import { allPages } from '../../client/pages.js'
import { Code } from '../../transcoding/code.js'

/** A list of pages of one item; what is not a text is thrown once. */
function listOf(...pages: readonly (string | Error)[]) {
  const asked: string[] = []
  const failed = new Set<number>()
  const list = async ({ pageSize, pageToken }: { pageSize: number; pageToken: string }) => {
    asked.push(`${pageSize} ${pageToken}`)
    const at = Number(pageToken)
    const page = pages[at]
    if (page instanceof Error && !failed.has(at)) {
      failed.add(at)
      throw page
    }
    const items = page === undefined ? [] : [String(page)]
    return { items, ...(at + 1 < pages.length && { pagination: { nextPageToken: String(at + 1) } }) }
  }
  return { list, asked }
}

describe('all pages of a list', () => {
  it('are read by their tokens, up to the page that has none', async () => {
    const { list, asked } = listOf('a', 'b', 'c')
    expect(await allPages(list, 7)).toEqual(['a', 'b', 'c'])
    expect(asked).toEqual(['7 ', '7 1', '7 2'])
    expect(await allPages(listOf().list)).toEqual([])
  })

  it('are read from the first again where a token has expired', async () => {
    const gone = new ApiError(Code.OUT_OF_RANGE, 'gone')
    const { list, asked } = listOf('a', gone)
    expect(await allPages(list)).toEqual(['a', String(gone)])
    expect(asked).toEqual(['500 ', '500 1', '500 ', '500 1'])
    let times = 0
    const always = async ({ pageToken }: { pageToken: string }) => {
      times += 1
      if (pageToken) throw gone
      return { items: [], pagination: { nextPageToken: 'x' } }
    }
    await expect(allPages(always)).rejects.toBe(gone)
    expect(times).toBe(6)
  })

  it('fail with what refuses a page', async () => {
    const refused = new ApiError(Code.PERMISSION_DENIED, 'no')
    await expect(allPages(listOf('a', refused).list)).rejects.toBe(refused)
    const outside = new ApiError(Code.OUT_OF_RANGE, 'never begun')
    await expect(allPages(listOf(outside).list)).rejects.toBe(outside)
  })
})
