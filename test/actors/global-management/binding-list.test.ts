import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { BindingList } from '../../../actors/global-management/binding-list.js'

const signal = new AbortController().signal
const item = (name: string, sequence = 1) => ({
  sequence,
  binding: { name, instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'ann' }] },
})

/** A list over pages that a test sets: a status, a text, or JSON; the first answers what has no `continue`. */
async function listing(...pages: readonly unknown[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { searchParams } = new URL(request.url ?? '', 'http://gm')
    const page = pages[Number(searchParams.get('continue') ?? 0)]
    if (typeof page === 'number') response.writeHead(page, { location: 'http://127.0.0.1:1/' }).end()
    else response.end(typeof page === 'string' ? page : JSON.stringify(page))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const files = { roleBindingsCaFile: undefined, roleBindingsCredentialsFile: undefined }
  const list = new BindingList(`http://127.0.0.1:${port}/gm/bindings`, files)
  onTestFinished(async () => {
    await list.close()
    server.closeAllConnections()
    await new Promise(resolve => void server.close(resolve))
  })
  return { list, asked }
}

it('a list is read page by page, and whole', async () => {
  const { list, asked } = await listing(
    { sequence: 9, total: 3, items: [item('a'), item('b', 9)], continue: '1' },
    { sequence: 9, total: 3, items: [item('c')] },
  )
  expect(await list.whole(signal)).toEqual({ sequence: 9, items: [item('a'), item('b', 9), item('c')] })
  expect(asked).toEqual(['/gm/bindings?limit=500', '/gm/bindings?limit=500&continue=1'])
})

it('an empty list is one when it says so', async () => {
  const { list } = await listing({ sequence: 9, total: 0, items: [] })
  expect(await list.whole(signal)).toEqual({ sequence: 9, items: [] })
})

const one = { sequence: 9, total: 2, items: [item('a')] }
it.each<[string, readonly unknown[], RegExp]>([
  ['is shorter than its total', [one], /has 1 bindings, and its total is 2/],
  ['is empty and has a total', [{ ...one, items: [] }], /has 0 bindings/],
  ['has no total', [{ sequence: 9, items: [] }], /total/],
  ['has no sequence', [{ total: 0, items: [] }], /sequence/],
  ['is an empty object', [{}], /sequence/],
  ['is a bare array', [[]], /expected object/i],
  ['is longer than its total', [{ ...one, total: 0 }], /more bindings than its total/],
  ['has a binding twice', [{ ...one, items: [item('a'), item('a')] }], /comes twice/],
  [
    'has a binding from the future',
    [{ ...one, total: 1, items: [item('a', 10)] }],
    /beyond that of the list/,
  ],
  [
    'changes between pages',
    [
      { ...one, continue: '1' },
      { ...one, sequence: 10 },
    ],
    /changed while/,
  ],
  [
    'has another total on the next page',
    [
      { ...one, continue: '1' },
      { ...one, total: 3 },
    ],
    /changed while/,
  ],
  ['loses a page', [{ ...one, continue: '1' }, 500], /status 500/],
  ['never ends', [{ ...one, items: [], continue: '0' }], /a page is empty/],
  ['goes round', [{ ...one, continue: '0' }], /comes twice|more bindings/],
  ['is cut off', [`{"sequence":9,"total":0,"items":[`], /something else than JSON/],
  ['is a page of a proxy', ['<html>'], /something else than JSON/],
  ['is elsewhere', [302], /status 302/],
  ['is forbidden', [403], /status 403/],
  [
    'has a role that there is not',
    [{ ...one, total: 1, items: [{ ...item('a'), binding: { ...item('a').binding, role: 'Owner' } }] }],
    /items\.0\.binding/,
  ],
])('a list that %s is none', async (_, pages, why) => {
  const { list } = await listing(...pages)
  await expect(list.whole(signal)).rejects.toThrow(why)
})
