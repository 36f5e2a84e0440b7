import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { BindingList } from '../../../actors/global-management/binding-list.js'

const signal = new AbortController().signal
const item = (name: string, sequence = 1) => ({
  sequence,
  binding: { name, instance: 'eu', role: 'Viewer', subjects: [{ kind: 'User', name: 'ann' }] },
})

/** How a list is reached: a path and a file with a credential. */
interface Way {
  readonly at?: string
  /** The most that is read of a whole list. */
  readonly mostBytes?: number
  readonly credentials?: string
}

const listing = (...pages: readonly unknown[]) => listingBy({}, ...pages)

/**
 * A list over pages that a test sets: a status, a text, JSON, or what says one of them for a credential; the first answers what has no
 * `continue`.
 */
async function listingBy({ at = '/gm/bindings', credentials, mostBytes }: Way, ...pages: readonly unknown[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { searchParams } = new URL(request.url ?? '', 'http://gm')
    const found = pages[Number(searchParams.get('continue') ?? 0)]
    const page = typeof found === 'function' ? found(request.headers.authorization) : found
    if (typeof page === 'number') response.writeHead(page, { location: 'http://127.0.0.1:1/' }).end()
    else response.end(typeof page === 'string' ? page : JSON.stringify(page))
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const files = { roleBindingsCaFile: undefined, roleBindingsCredentialsFile: credentials }
  const list = new BindingList(`http://127.0.0.1:${port}${at}`, files, mostBytes)
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

it('a page of 500 bindings with all the subjects and namespaces that one can have is read', async () => {
  const subjects = Array.from({ length: 256 }, (_, at) => ({
    kind: 'ServiceAccount',
    name: `${at}`,
    namespace: 'a',
  }))
  const namespaces = Array.from({ length: 256 }, (_, at) => `${at}`)
  const items = Array.from({ length: 500 }, (_, at) => {
    const { sequence, binding } = item(`${at}`)
    return { sequence, binding: { ...binding, namespaces, subjects } }
  })
  const { list } = await listing({ sequence: 9, total: 500, items })
  expect((await list.whole(signal)).items).toHaveLength(500)
})

it('an empty list is one when it says so', async () => {
  const { list } = await listing({ sequence: 9, total: 0, items: [] })
  expect(await list.whole(signal)).toEqual({ sequence: 9, items: [] })
})

it('an instance’s and a workspace’s binding may have one name', async () => {
  const { instance: _, ...rest } = item('a').binding
  const members = { sequence: 1, binding: { ...rest, workspace: 'shop' } }
  const { list } = await listing({ sequence: 9, total: 2, items: [item('a'), members] })
  expect((await list.whole(signal)).items).toHaveLength(2)
})

it('a list may be all that its server has', async () => {
  const { list, asked } = await listingBy({ at: '' }, { sequence: 9, total: 0, items: [] })
  await list.whole(signal)
  expect(asked).toEqual(['/?limit=500'])
})

it('a list is asked for with the credential of the file, which is read anew when it is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const credentials = join(folder, 'credentials')
  writeFileSync(credentials, 'token: old')
  const accepts = (authorization: string | undefined) =>
    authorization === 'Bearer new' ? { sequence: 9, total: 0, items: [] } : 401
  const { list } = await listingBy({ credentials }, accepts)
  await expect(list.whole(signal)).rejects.toThrow('status 401')
  writeFileSync(credentials, 'token: new')
  expect((await list.whole(signal)).items).toEqual([])
})

it('a list is read up to its most bytes, and no page of it after that', async () => {
  const pages = [
    { sequence: 9, total: 3, items: [item('a')], continue: '1' },
    { sequence: 9, total: 3, items: [item('b')], continue: '2' },
    { sequence: 9, total: 3, items: [item('c')] },
  ]
  const bytes = (...some: readonly object[]) =>
    some.map(page => JSON.stringify(page).length).reduce((a, b) => a + b)
  const whole = await listingBy({ mostBytes: bytes(...pages) }, ...pages)
  expect((await whole.list.whole(signal)).items).toHaveLength(3)
  const mostBytes = bytes(...pages.slice(0, 2)) - 1
  const { list, asked } = await listingBy({ mostBytes }, ...pages)
  await expect(list.whole(signal)).rejects.toThrow(`more than ${mostBytes} bytes`)
  expect(asked).toHaveLength(2)
})

it('of a page that is none a message quotes little', async () => {
  const { list } = await listing({ sequence: 9, total: 0, items: [], ['x'.repeat(100_000)]: 1 })
  const { message } = await list.whole(signal).then(
    () => new Error('a list'),
    (error: Error) => error,
  )
  expect(message).toMatch(/Unrecognized key: "xxx/)
  expect(message.length).toBeLessThan(500)
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
  ['has more values than bindings can have', [`[${'0,'.repeat(800_000)}0]`], /more than 800000 values/],
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
