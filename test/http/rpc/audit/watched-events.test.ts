import { describe, expect, it } from 'vitest'
import { audit, START } from './audit-under-test.js'

describe('a watch of audit events', () => {
  it('sends those that are kept, the oldest first, and then each that comes and is chosen', async () => {
    const { keep, watch } = audit(new Set(['north']))
    keep('a')
    keep('b', { verb: 'create' })
    keep('c', { instance: 'south' })
    const { next } = await watch({ verb: 'delete' })
    expect(await next(3)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'a'],
      ['BOOKMARK', 1],
    ])
    keep('d', { instance: 'south' })
    keep('e', { verb: 'create' })
    keep('f')
    expect(await next(1)).toEqual([['ADDED', 2, 'f']])
  })

  it('shows nothing more of an instance from when the right is withdrawn, and what comes after it is given', async () => {
    const { keep, watch, readable } = audit(new Set(['north']))
    const { next } = await watch()
    await next(2)
    keep('a')
    expect(await next(1)).toEqual([['ADDED', 1, 'a']])
    readable.delete('north')
    keep('b')
    keep('own', { user: 'ann' })
    expect(await next(1)).toEqual([['ADDED', 2, 'own']])
    readable.add('north')
    keep('c')
    expect(await next(1)).toEqual([['ADDED', 3, 'c']])
  })

  it('goes on after a token, and starts over where events after it are no longer kept', async () => {
    const { keep, watch } = audit(new Set(['']), 3)
    const { next, tokens } = await watch()
    await next(2)
    const [ofNone = ''] = tokens
    expect(await (await watch({ resumeToken: ofNone })).next(1)).toEqual([['BOOKMARK', 0]])
    keep('a')
    keep('b')
    await next(2)
    const [, resumeToken = ''] = tokens
    const again = await watch({ resumeToken })
    keep('c')
    expect(await again.next(3)).toEqual([
      ['BOOKMARK', 1],
      ['ADDED', 2, 'b'],
      ['ADDED', 3, 'c'],
    ])
    keep('d')
    keep('e')
    expect(await (await watch({ resumeToken })).next(5)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'c'],
      ['ADDED', 2, 'd'],
      ['ADDED', 3, 'e'],
      ['BOOKMARK', 3],
    ])
  })

  it('starts over for a reader so slow that events went by, and goes on for one that has received them', async () => {
    const { keep, watch } = audit(new Set(['']), 2)
    const [slow, quick] = [await watch(), await watch()]
    await slow.next(2)
    await quick.next(2)
    for (const id of ['a', 'b', 'c', 'd']) {
      keep(id)
      expect((await quick.next(1))[0]?.[2]).toBe(id)
    }
    expect(await slow.next(4)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'c'],
      ['ADDED', 2, 'd'],
      ['BOOKMARK', 2],
    ])
  })

  it('starts over with the token of another filter, caller or process, and refuses what is no token', async () => {
    const { keep, watch } = audit(new Set(['']))
    const { next, tokens } = await watch()
    await next(2)
    const [resumeToken = ''] = tokens
    keep('a')
    for (const stream of [
      await watch({ resumeToken, verb: 'delete' }),
      await watch({ resumeToken }, { user: 'eve' }),
      await audit().watch({ resumeToken }),
    ])
      expect(await stream.next(1)).toEqual([['RESET', 0]])
    for (const wrong of ['x', `${resumeToken}x.`, resumeToken.replace('audit1', 'audit2')])
      await expect(watch({ resumeToken: wrong })).rejects.toMatchObject({ code: 3 })
    await expect(watch({ since: -1n })).rejects.toMatchObject({ code: 3 })
  })

  it('has tokens that are the same whether or not there are events that the caller may not see', async () => {
    const placeAfter = async (endedAt: readonly number[]) => {
      const { keep, watch, clock } = audit()
      keep('own', { user: 'ann' })
      for (const time of endedAt) {
        clock.now = time - 1_000
        keep('hidden')
      }
      clock.now = START + 60_000
      const { next, tokens } = await watch()
      await next(3)
      return tokens.at(-1)?.split('.')[2]
    }
    expect(await placeAfter([START + 7_000, START + 9_000])).toBe(await placeAfter([]))
  })

  it('misses no event of the millisecond in which it began', async () => {
    const { keep, watch, clock } = audit(new Set(['']))
    const { next, tokens } = await watch()
    await next(2)
    clock.now -= 1_000
    keep('a')
    expect(await next(1)).toEqual([['ADDED', 1, 'a']])
    expect(await (await watch({ resumeToken: tokens[0]! })).next(2)).toEqual([
      ['BOOKMARK', 0],
      ['ADDED', 1, 'a'],
    ])
  })

  it('misses no event that ends while those before it are sent', async () => {
    const { keep, watch } = audit(new Set(['']))
    keep('a')
    const { next } = await watch()
    await next(2)
    keep('b')
    expect(await next(2)).toEqual([
      ['BOOKMARK', 1],
      ['ADDED', 2, 'b'],
    ])
  })

  it('refuses a token whose total no message can have', async () => {
    const { watch } = audit()
    const { next, tokens } = await watch()
    await next(2)
    const resumeToken = tokens[0]!.replace(/[^.]*$/, 'zzzzzz')
    await expect(watch({ resumeToken })).rejects.toMatchObject({ code: 3 })
  })

  it('begins with all that the list shows, also where newer events of a caller who floods went before them', async () => {
    const { keep, watch, list } = audit(new Set(['']), 4)
    keep('a')
    for (const id of ['f1', 'f2', 'f3', 'f4', 'f5']) keep(id, { user: 'flood' })
    const { ids } = await list()
    expect(ids).toEqual(['f5', 'f4', 'f3', 'a'])
    const { next } = await watch()
    expect(await next(6)).toEqual([
      ['RESET', 0],
      ...ids.toReversed().map((id, index) => ['ADDED', index + 1, id]),
      ['BOOKMARK', 4],
    ])
    keep('f6', { user: 'flood' })
    expect(await next(1)).toEqual([['ADDED', 5, 'f6']])
    for (const id of ['f7', 'f8', 'f9', 'f10']) keep(id, { user: 'flood' })
    expect(await next(6)).toEqual([
      ['RESET', 0],
      ...['a', 'f8', 'f9', 'f10'].map((id, index) => ['ADDED', index + 1, id]),
      ['BOOKMARK', 4],
    ])
  })

  it('reads many kept events in parts, each of them once', async () => {
    const { keep, watch } = audit(new Set(['']), 1_200)
    const ids = Array.from({ length: 1_200 }, (_, index) => `e${index}`)
    for (const id of ids) keep(id)
    const { next } = await watch()
    const steps = await next(1_202)
    expect(steps.slice(1, -1).map(([, , id]) => id)).toEqual(ids)
    expect(steps.at(-1)).toEqual(['BOOKMARK', 1_200])
  })
})
