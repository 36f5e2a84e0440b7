import { describe, expect, it } from 'vitest'
import { AuditOutcome } from '../../../../proto/gen/kairship/audit_pb.js'
import { audit, START } from './audit-under-test.js'

describe('a list of audit events', () => {
  it('shows, the newest first, those of instances that the caller may read, and its own everywhere', async () => {
    const { keep, list, asked, instances } = audit(new Set(['north']))
    instances.add('west')
    keep('of north')
    keep('of south', { instance: 'south' })
    keep('own in south', { instance: 'south', user: 'ann' })
    keep('own in west', { instance: 'west', user: 'ann' })
    for (const user of ['an', 'anna', 'Ann', '']) keep(`of ${user}`, { instance: 'south', user })
    keep('of none', { instance: '' })
    keep('own of none', { instance: '', user: 'ann' })
    const { ids, pagination } = await list()
    expect(ids).toEqual(['own of none', 'own in west', 'own in south', 'of north'])
    expect(pagination).toMatchObject({ total: 4 })
    expect(asked.sort()).toEqual(['', 'north', 'south'])
  })

  it('shows the holder of a token for one instance nothing of elsewhere, also not of its user', async () => {
    const { keep, list, watch } = audit(new Set(['']))
    for (const user of ['ann', 'bob'])
      for (const instance of ['north', 'south', 'gone', '']) keep(`${user} ${instance}`, { user, instance })
    expect((await list({}, { only: 'north' })).ids).toEqual(['bob north', 'ann north'])
    expect(await (await watch({}, { only: 'north' })).next(3)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'ann north'],
      ['ADDED', 2, 'bob north'],
    ])
  })

  it('shows those that are about no instance to who may read all', async () => {
    const { keep, list } = audit(new Set(['']))
    keep('of north')
    keep('of none', { instance: '' })
    expect((await list()).ids).toEqual(['of none', 'of north'])
  })

  it('shows those of a removed instance to who may read it, and those of a new one once it is there', async () => {
    const { keep, list, instances } = audit(new Set(['south', 'west']))
    keep('of south', { instance: 'south' })
    instances.delete('south')
    keep('create west', { instance: 'west' })
    expect((await list()).ids).toEqual(['of south'])
    instances.add('west')
    expect((await list()).ids).toEqual(['create west', 'of south'])
  })

  it('asks for no rights on names that callers invented: one flood of them would make each list cost the host as many reviews', async () => {
    const { keep, list, watch, asked } = audit(new Set(['north', 'x1']))
    for (let index = 0; index < 50; index++) keep(`e${index}`, { instance: `x${index}`, outcome: 'denied' })
    keep('of north')
    expect((await list()).ids).toEqual(['of north'])
    expect(asked.splice(0).sort()).toEqual(['', 'north'])
    expect(await (await watch()).next(3)).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'of north'],
      ['BOOKMARK', 1],
    ])
    expect(asked.sort()).toEqual(['', 'north'])
  })

  it.each([
    ['user', 'eve'],
    ['instance', 'south'],
    ['cluster', 'm1'],
    ['namespace', 'other'],
    ['resource', 'pods'],
    ['name', 'web'],
    ['verb', 'create'],
  ] as const)('filters by the whole %s', async (field, value) => {
    const { keep, list } = audit(new Set(['']))
    keep('other', { [field]: `${value}2` })
    keep('wanted', { [field]: value })
    expect((await list({ [field]: value })).ids).toEqual(['wanted'])
    expect((await list({ [field]: value.slice(1) })).ids).toEqual([])
  })

  it('filters by outcome and time', async () => {
    const { keep, list, clock } = audit(new Set(['']))
    keep('a', { outcome: 'denied' })
    keep('b', { outcome: 'failed' })
    const since = BigInt(clock.now)
    keep('c', { outcome: 'unknown' })
    keep('d')
    expect((await list({ outcome: AuditOutcome.DENIED })).ids).toEqual(['a'])
    expect((await list({ outcome: AuditOutcome.FAILED })).ids).toEqual(['b'])
    expect((await list({ outcome: AuditOutcome.UNKNOWN })).ids).toEqual(['c'])
    expect((await list({ outcome: AuditOutcome.SUCCEEDED })).ids).toEqual(['d'])
    expect((await list({ since })).ids).toEqual(['d', 'c', 'b'])
    await expect(list({ since: -1n })).rejects.toMatchObject({ code: 3 })
  })

  it('is walked by tokens that go on where a page ended, whatever has come since', async () => {
    const { keep, list } = audit(new Set(['']))
    for (const id of ['a', 'b', 'c', 'd', 'e']) keep(id)
    const first = await list({ pageSize: 2 })
    expect(first).toMatchObject({ ids: ['e', 'd'], pagination: { total: 5, page: 1, pages: 3 } })
    keep('f')
    const second = await list({ pageSize: 2, pageToken: first.pagination?.nextPageToken as string })
    expect(second.ids).toEqual(['c', 'b'])
    const last = await list({ pageSize: 2, pageToken: second.pagination?.nextPageToken as string })
    expect(last.ids).toEqual(['a'])
    expect(last.pagination?.nextPageToken).toBeUndefined()
    expect((await list({ pageSize: 2, page: 2 })).ids).toEqual(['d', 'c'])
    const pageToken = first.pagination?.nextPageToken as string
    await expect(list({ pageSize: 2, pageToken }, { user: 'eve' })).rejects.toMatchObject({ code: 3 })
  })

  it('says since when it is complete', async () => {
    const { keep, list, clock } = audit(new Set(['']), 2)
    expect((await list()).completeSince).toBe(BigInt(START))
    keep('a')
    const forgotten = clock.now
    keep('b')
    keep('c')
    expect(await list()).toMatchObject({ ids: ['c', 'b'], completeSince: BigInt(forgotten) })
    const sameTime = clock.now
    keep('d', { endedAt: sameTime })
    keep('e')
    keep('f')
    expect(await list()).toMatchObject({ ids: ['f', 'e'], completeSince: BigInt(sameTime + 1) })
  })
})
