import { describe, expect, it } from 'vitest'
import type { Cursor } from '../../../../http/objects/cursor.js'
import { PageTokens } from '../../../../http/rpc/kind/page-token.js'

const request = { instance: 'i', namespace: 'shop', name: 'web', page: 0, pageSize: 10 }
const callOf = (user: string) => ({ caller: { user, groups: [], extra: {} } })
const call = callOf('ann')
const next: Cursor = { after: ['b', 'shop', 'b'], offset: 20, sorted: 'alike', before: ['01234567'] }
const pagination = { total: 99, page: 2, pageSize: 10, pages: 10 }

const tokenFrom = (of = new PageTokens(request, call, ['configmaps']), cursor = next): string =>
  of.pagination({ pagination, next: cursor }).nextPageToken ?? ''
const token = tokenFrom()
const [, text = ''] = token.split('.')
const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
const [list] = parts
const encoded = (json: unknown, form = 'page1') =>
  `${form}.${Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)).toString('base64url')}`
const sent = (pageToken: string, more: object = {}, by = call, kind: unknown = 'configmaps') =>
  new PageTokens({ ...request, ...more, pageToken }, by, [kind])
/** The tokens of requests whose type's name is that of their prototype, as it is of messages with fields that may be absent. */
const ofType = ($typeName: string, pageToken = '') =>
  new PageTokens(Object.assign(Object.create({ $typeName }), request, { pageToken }), call, ['configmaps'])
const caught = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('a page token', () => {
  it('says where the next page begins, of whatever size', () => {
    expect(sent(token).request).toEqual({ page: 0, pageSize: 10, after: next })
    expect(sent(token, { pageSize: 25 }).request).toEqual({ page: 0, pageSize: 25, after: next })
    expect(sent('').request).toEqual({ page: 0, pageSize: 10 })
  })

  it('is the same for the same page, also of a page that was asked for by a token', () => {
    expect(tokenFrom(sent(token))).toBe(token)
    expect(tokenFrom(sent('', { page: 3, pageSize: 7 }))).toBe(token)
  })

  it('is not there on the last page', () => {
    expect(sent(token).pagination({ pagination })).toEqual(pagination)
  })

  it.each([
    ['another filter', () => sent(token, { name: 'api' })],
    ['a filter more', () => sent(token, { labelSelector: 'a=b' })],
    ['another instance', () => sent(token, { instance: 'j' })],
    ['another type', () => sent(token, {}, call, 'secrets')],
    ['another caller', () => sent(token, {}, callOf('bob'))],
    ['another rpc', () => sent(token, { $typeName: 'kairship.ListOthers' })],
    ['another rpc whose requests have their type’s name in common', () => ofType('ListOthers', token)],
  ])('of %s is refused', (_, work) => {
    expect(caught(work)).toMatchObject({
      code: 3,
      details: {
        violations: [{ field: 'pageToken', description: expect.stringContaining('another request') }],
      },
    })
  })

  it.each([
    ['no token', 'x'],
    ['another text of the same JSON', encoded(JSON.stringify(parts).replace(',', ', '))],
    ['another alphabet', `${token.slice(0, -2)}=`],
    ['a negative offset', encoded([list, -1, 1, ['b'], []])],
    ['an offset that is none', encoded([list, 1.5, 1, ['b'], []])],
    ['an unknown order', encoded([list, 1, 3, ['b'], []])],
    ['an inherited order', encoded([list, 1, 'length', ['b'], []])],
    ['a key that is no text', encoded([list, 1, 1, [7], []])],
    ['too many keys', encoded([list, 1, 1, Array(9).fill('b'), []])],
    ['an offset of no list', encoded([list, 2 ** 40, 1, ['b'], []])],
    ['what came before as no list', encoded([list, 1, 1, ['b'], 5])],
    ['one part more', encoded([...parts, 1])],
    ['no list', encoded([7, 1, 1, ['b'], []])],
    ['what is no list', encoded({ length: 5 })],
    ['more than 4000 characters', encoded([list, 1, 1, ['b'.repeat(4_000)], []])],
  ])('that is %s is refused', (_, given) => {
    expect(caught(() => sent(given))).toMatchObject({
      code: 3,
      details: { violations: [{ field: 'pageToken', description: expect.stringContaining('is no token') }] },
    })
  })

  it('of another version of Kairship is refused as expired', () => {
    expect(caught(() => sent(encoded(parts, 'page2')))).toMatchObject({ code: 11 })
  })

  it.each([1, 2, -1])('is not sent beside page %i', page => {
    expect(caught(() => sent(token, { page }))).toMatchObject({
      code: 3,
      details: { violations: [{ field: 'page' }] },
    })
  })

  it('does not depend on the order of a request’s fields, nor on unknown ones, and may be of one with large numbers', () => {
    const { instance, ...rest } = request
    const given = { ...rest, tailLines: 2n ** 60n, instance, $unknown: [{ no: 7 }] }
    const tokens = (fields: typeof request) => new PageTokens(fields, call)
    const pageToken = tokenFrom(tokens(given))
    const same = { tailLines: 2n ** 60n, ...request, pageToken }
    expect(tokens(same).request.after).toEqual(next)
    const other = { ...same, tailLines: 1n }
    expect(caught(() => tokens(other))).toMatchObject({ code: 3 })
  })

  it('and a page that cannot be are refused with the page', () => {
    for (const wrong of [{ page: -1 }, { pageSize: -2 }])
      expect(caught(() => new PageTokens({ ...request, ...wrong }, call))).toMatchObject({ code: 3 })
  })
})
