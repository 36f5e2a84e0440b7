import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Collection, type Contact } from '../../../actors/watches/collection.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { unmetered } from '../../silent.js'

const namespace = 'default'
const SECRETS = { group: '', version: 'v1', resource: 'secrets', namespace } as const

let server: ApiServer
let collection: Collection<KubeObject>
let contact: Contact[]
/** How many lists and watches were asked for. */
let lists: number
let watches: number
/** What a list of that number waits for before the server is asked, and before its answer is handed on. */
let before: (list: number) => Promise<void>
let after: (list: number) => Promise<void>

beforeEach(async () => {
  server = await startApiServer({ name: 'host' })
  lists = 0
  watches = 0
  before = async () => undefined
  after = async () => undefined
  contact = []
  collection = new Collection<KubeObject>(SECRETS, gated(), 'status', object => object, unmetered)
  collection.contact.subscribe(now => contact.push(now))
  await create('one')
})
afterEach(async () => {
  collection.stop()
  await server.close()
})

/** The embedded server, whose lists a test can hold back or refuse. */
const gated = (): KubeApi => ({
  server: server.url,
  async request<T>(request: KubeRequest) {
    const list = ++lists
    await before(list)
    const answer = await server.local.request<T>(request)
    await after(list)
    return answer
  },
  watch: request => {
    watches++
    return server.local.watch(request)
  },
  close: () => Promise.resolve(),
})
/** Holds back whoever comes, until it is opened. */
function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>(resolve => (open = resolve))
  return { opened, open }
}

const create = (name: string) =>
  server.local.request({
    method: 'POST',
    path: resourcePath(SECRETS, { namespace }),
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name } },
  })
const remove = (name: string) =>
  server.local.request({ method: 'DELETE', path: resourcePath(SECRETS, { namespace, name }) })

/** Lists anew; each word of it with what was held when it came. */
function relisted(): string[] {
  const said: string[] = []
  const held = () => [...collection.values()].map(({ metadata }) => metadata.name).sort()
  collection.relisted().subscribe({
    next: ({ type }) => said.push(`${type} ${held()}`),
    complete: () => said.push('complete'),
  })
  return said
}
/** Whatever is under way has arrived. */
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

describe('a request for a new list of a collection', () => {
  it('is reported once, when the new list is complete; earlier events do not count', async () => {
    collection.start()
    await waitFor(() => expect(watches).toBe(1))
    const { opened, open } = gate()
    before = () => opened
    const said = relisted()
    await create('two')
    await create('three')
    await remove('one')
    await turns()
    expect(said).toEqual([])
    open()
    await waitFor(() => expect(said).toEqual(['SYNCED three,two', 'complete']))
    expect(lists).toBe(2)
  })

  it('reports up to which version the collection is complete: of a complete list, and of each emitted change', async () => {
    const reached = () => Number(collection.resourceVersion)
    before = () => opened
    const { opened, open } = gate()
    collection.start()
    await turns()
    expect(collection.resourceVersion).toBeUndefined()
    open()
    await waitFor(() => expect(reached()).toBeGreaterThan(0))
    const [listed, told] = [reached(), [] as number[]]
    collection.changes.subscribe(() => told.push(reached()))
    await create('two')
    await waitFor(() => expect(told).toEqual([listed]))
    expect(reached()).toBe(Number(collection.get('default/two')?.metadata.resourceVersion))
    await remove('two')
    await waitFor(() => expect(told).toHaveLength(2))
    expect(told[1]).toBeLessThan(reached())
  })

  it('does not accept a list that had already begun', async () => {
    const gates = [gate(), gate()]
    after = list => gates[list - 1]!.opened
    collection.start()
    await turns()
    await create('two')
    const said = relisted()
    await turns()
    expect(lists).toBe(2)
    gates[0]!.open()
    await turns()
    expect(said).toEqual([])
    gates[1]!.open()
    await waitFor(() => expect(said).toEqual(['SYNCED one,two', 'complete']))
  })

  it('continues with later changes', async () => {
    collection.start()
    await waitFor(() => expect(watches).toBe(1))
    const said = relisted()
    await waitFor(() => expect(said).toHaveLength(2))
    await create('two')
    await waitFor(() => expect(collection.get('default/two')).toBeDefined())
    expect(watches).toBe(2)
  })

  it('keeps contact, also when a list fails and is repeated', async () => {
    collection.start()
    await waitFor(() => expect(contact).toEqual(['pending', 'made']))
    before = async list => {
      if (list === 2) throw new Error('not now')
    }
    const said = relisted()
    expect(collection.inContact).toBe(true)
    await waitFor(() => expect(said).toEqual(['SYNCED one', 'complete']))
    expect(lists).toBe(3)
    expect(contact).toEqual(['pending', 'made'])
  })
})

describe('the readers of one object', () => {
  it('get its changes also after another reader of it has left', async () => {
    collection.start()
    await waitFor(() => expect(collection.inContact).toBe(true))
    const names: (string | undefined)[] = []
    const first = collection.follow('default/one').subscribe()
    const second = collection.follow('default/one').subscribe(object => names.push(object?.metadata.name))
    first.unsubscribe()
    await remove('one')
    await waitFor(() => expect(names).toEqual(['one', undefined]))
    second.unsubscribe()
  })

  it('get no changes of other objects', async () => {
    collection.start()
    await waitFor(() => expect(collection.inContact).toBe(true))
    const names: (string | undefined)[] = []
    const reader = collection.follow('default/one').subscribe(object => names.push(object?.metadata.name))
    await create('two')
    await waitFor(() => expect(collection.get('default/two')).toBeDefined())
    expect(names).toEqual(['one'])
    reader.unsubscribe()
  })
})

it('a collection that is started twice lists and watches once', async () => {
  collection.start()
  collection.start()
  await waitFor(() => expect(watches).toBe(1))
  await create('two')
  await waitFor(() => expect(collection.get('default/two')).toBeDefined())
  expect([lists, watches]).toEqual([1, 1])
})
