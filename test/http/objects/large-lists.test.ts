import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'
import { type Answer, curl, listeningApi } from '../fakes/listening.js'
import { type FakeUpstream, fakeUpstream } from '../proxy/fake-upstream.js'

const CONFIG_MAPS = 'configmaps'
const json = { 'content-type': 'application/json' }
const configMap = (name: string, size: number) => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1' },
  data: { text: 'x'.repeat(size) },
})

let north: FakeUpstream
let api: Awaited<ReturnType<typeof listeningApi>>
/** How an instance sends its lists. */
let send: (response: ServerResponse, url: URL) => void

beforeEach(async () => {
  north = await fakeUpstream()
  north.answer = (request, response) => {
    const url = new URL(request.url ?? '', 'https://north')
    if (url.pathname.endsWith(`/${CONFIG_MAPS}`)) return send(response, url)
    if (url.pathname.includes(`/${CONFIG_MAPS}/`))
      return void response
        .writeHead(200, json)
        .end(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...configMap('one', 10) }))
    response.writeHead(404, json).end('{"kind":"Status","status":"Failure","code":404,"message":"no"}')
  }
  const fleet = fakeFleet(viewOf('north'))
  fleet.connections.set('north', north.api)
  api = await listeningApi(fleet, { answerMemory: { mebibytes: 128, waitMs: 1_000 } })
})
afterEach(async () => {
  await api.running.close()
  await north.close()
})

const get = (path: string, token = 'admin'): Promise<Answer> =>
  curl(api.running, `/apis/kairship.io/v1alpha1/instances/north${path}`, { token })
const list = (token?: string) => get(`/${CONFIG_MAPS}`, token)
const messageOf = ({ status, text }: Answer) => [status, (JSON.parse(text) as { message: string }).message]

/** The beginning of a list that is never ended. */
function begin(response: ServerResponse, mebibytes: number): void {
  response.writeHead(200, json).write('{"kind":"ConfigMapList","metadata":{},"items":[')
  for (let n = 0; n < mebibytes; n += 1) response.write(`${JSON.stringify(configMap(`c${n}`, 1 << 20))},`)
}

describe('a list of an instance', () => {
  it('whose page has no end is given up at its bound', async () => {
    let sent = 0
    send = response => {
      begin(response, 0)
      const more = () => {
        for (let goesOn = true; goesOn && !response.destroyed; sent += 1)
          goesOn = response.write(`${JSON.stringify(configMap(`c${sent}`, 1 << 20))},`)
      }
      response.on('drain', more)
      more()
    }
    const [status, message] = messageOf(await list())
    expect([status, message]).toEqual([
      400,
      'there are more than 10000 configmaps or 64 MiB of them, the most that are sorted here: give a namespace, or a label selector, or a pageSize and an order that the index has',
    ])
    expect(sent).toBeLessThan(100)
  })

  it('whose pages have no end is given up', async () => {
    let pages = 0
    send = response => {
      pages += 1
      const metadata = { resourceVersion: '1', continue: `page ${pages}` }
      response.writeHead(200, json).end(JSON.stringify({ kind: 'ConfigMapList', metadata, items: [] }))
    }
    expect(messageOf(await list())).toEqual([502, 'the instance’s list of configmaps has no end'])
    expect(pages).toBe(1_001)
  })

  it('waits for its turn while others have the memory, is refused when that takes too long, and holds nothing up', async () => {
    const open: ServerResponse[] = []
    send = response => {
      begin(response, 9)
      open.push(response)
    }
    const first = list('admin')
    await waitFor(() => expect(open).toHaveLength(1))
    // One instance has half of the two largest places at most.
    const second = list('second')
    expect(messageOf(await second)).toEqual([
      429,
      'no memory for large lists became free within 1 s: ask for less at once, or try again',
    ])
    expect((await get('/namespaces/default/configmaps/one', 'second')).status).toBe(200)
    for (const response of open) response.end(`${JSON.stringify(configMap('last', 1))}]}`)
    expect((await first).status).toBe(200)
    send = response => {
      begin(response, 9)
      response.end(`${JSON.stringify(configMap('last', 1))}]}`)
    }
    expect((await list('second')).status).toBe(200)
  })
})
