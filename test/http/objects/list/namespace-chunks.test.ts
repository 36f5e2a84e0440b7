import { describe, expect, it } from 'vitest'
import { NOT_THE_INDEX } from '../../../../http/objects/list/chunk.js'
import { chunksOf } from '../../../../http/objects/list/namespace-chunks.js'
import type { ObjectType } from '../../../../http/objects/object-type.js'
import type { ReadRules } from '../../../../http/proxy/proxy-request.js'
import { karmada } from '../../../../http/proxy/route/route.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { CONFIG_MAPS } from '../listed-world.js'

const NAMESPACES: ObjectType = {
  ...{ group: '', version: 'v1', resource: 'namespaces' },
  ...{ kind: 'Namespace', namespaced: false },
}
const refusal = (code: number, reason: string) => new StatusError({ ...bareStatus(code, reason), reason })
const forbidden = () => refusal(403, 'Forbidden')
const RULES: ReadRules = {
  ...{ target: '/', namespaces: ['a'] },
  route: () => karmada(['NotIndexed', () => true, 'it is of a test']),
}

interface Sent {
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
}
interface Page {
  readonly names: readonly string[]
  readonly next?: string
}

/** Reads the list of these namespaces to its end; what each request is answered is up to the test. */
function reading(
  namespaces: readonly string[],
  answer: (path: string, next: unknown) => Page,
  { type = CONFIG_MAPS, holds }: { type?: ObjectType; holds?: string } = {},
) {
  const sent: string[] = []
  let [underWay, most] = [0, 0]
  const page = async ({ path, query }: Sent): Promise<Page> => {
    sent.push(path)
    underWay += 1
    most = Math.max(most, underWay)
    try {
      await new Promise<void>(resolve => setImmediate(resolve))
      return answer(path, query?.continue)
    } finally {
      underWay -= 1
    }
  }
  const requests = {
    options: { parts: { fleet: { index: () => holds && { holds: () => holds } } } },
    send: async (_call: unknown, _instance: string, request: Sent) => {
      const { names, next } = await page(request)
      const items = names.map(name => ({ metadata: { name } }))
      const body = JSON.stringify({ items, metadata: { ...(next !== undefined && { continue: next }) } })
      return { status: 200, headers: [], body: Buffer.from(body) }
    },
    json: async (_call: unknown, _instance: string, request: Sent) => ({
      metadata: { name: (await page(request)).names[0] },
    }),
  }
  const listing = {
    ...{ requests, call: {}, place: { instance: 'north' }, type },
    query: { page: 1, pageSize: 0, namespaces },
  }
  const read = chunksOf(listing as never, {} as never)
  const all = async (rules = NOT_THE_INDEX) => {
    const chunks: string[][] = []
    let next: string | undefined
    do {
      const chunk = await read(next, next === undefined ? rules : NOT_THE_INDEX)
      chunks.push(chunk.items.map(({ metadata }) => metadata.name))
      next = chunk.next
    } while (next !== undefined && chunks.length < 100)
    return chunks
  }
  return { all, sent, most: () => most }
}

const inNamespace = (path: string): Page => {
  const [, namespace = 'everywhere'] = /namespaces\/([^/]+)/.exec(path) ?? []
  return { names: [namespace] }
}
const some = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)

describe('a list of several namespaces', () => {
  it.each([
    [1, [1]],
    [8, [8]],
    [9, [8, 1]],
    [24, [8, 8, 8]],
  ])('of %d is read eight at a time, each once: %j', async (count, sizes) => {
    const { all, sent, most } = reading(some(count), inNamespace)
    const chunks = await all()
    expect(chunks.map(({ length }) => length)).toEqual(sizes)
    expect(chunks.flat()).toEqual(some(count))
    expect([sent.length, most() <= 8]).toEqual([count, true])
  })

  it('has all chunks of a namespace, in their order', async () => {
    const { all } = reading(['a', 'b'], (path, next) => {
      if (!path.includes('/a/')) return { names: ['b1'] }
      return next === undefined ? { names: ['a1'], next: 'more' } : { names: [`a after ${next}`] }
    })
    expect(await all()).toEqual([['a1', 'a after more', 'b1']])
  })

  it.each([0, 1])('leaves out a namespace that is refused, chunk %d', async chunk => {
    const refused = `n${chunk * 8}`
    const { all } = reading(some(9), path => {
      if (path.includes(`/${refused}/`)) throw forbidden()
      return inNamespace(path)
    })
    expect((await all()).flat()).toEqual(some(9).filter(name => name !== refused))
  })

  it('is refused where every namespace is', async () => {
    const { all, sent } = reading(some(9), () => {
      throw forbidden()
    })
    await expect(all()).rejects.toMatchObject({ code: 403 })
    expect(sent).toHaveLength(9)
  })

  it('fails with what one namespace fails with', async () => {
    const { all } = reading(['a', 'b'], path => {
      if (path.includes('/b/')) throw refusal(503, 'ServiceUnavailable')
      return inNamespace(path)
    })
    await expect(all()).rejects.toMatchObject({ code: 503 })
  })

  it('is given up where one namespace has more objects than are sorted here', async () => {
    const { all, sent } = reading(['a'], () => ({ names: some(501), next: 'more' }))
    await expect(all()).rejects.toMatchObject({ code: 9, details: { reason: 'ListTooLarge' } })
    expect(sent).toHaveLength(20)
  })

  it('is given up where a namespace’s list goes on with nothing', async () => {
    const { all, sent } = reading(['a'], () => ({ names: sent.length > 30 ? ['late'] : [], next: 'more' }))
    await expect(all()).rejects.toMatchObject({ message: expect.stringContaining('has no end') })
    expect(sent).toHaveLength(1)
  })

  it('of namespaces is each of them that is there', async () => {
    const answer = (path: string) => {
      if (path.endsWith('/b')) throw refusal(404, 'NotFound')
      if (path.endsWith('/c')) throw forbidden()
      return inNamespace(path)
    }
    const { all, sent } = reading(['a', 'b', 'c', 'd'], answer, { type: NAMESPACES, holds: 'synced' })
    expect(await all(RULES)).toEqual([['a', 'd']])
    expect(sent).toHaveLength(4)
  })
})

describe('its first chunk', () => {
  const first = async (holds: string, rules: ReadRules, refused = false) => {
    const answer = (path: string) => {
      if (refused && !path.includes('/namespaces/')) throw forbidden()
      return inNamespace(path)
    }
    return (await reading(['a', 'b'], answer, { holds }).all(rules)).flat()
  }

  it('is the index’s where that holds the type', async () => {
    expect(await first('synced', RULES)).toEqual(['everywhere'])
  })

  it.each<[string, string, ReadRules, boolean]>([
    ['that does not hold all of it', 'syncing', RULES, false],
    ['whose answer was not whole', 'synced', NOT_THE_INDEX, false],
    ['whose rules know no namespaces', 'synced', { target: '/', route: RULES.route }, false],
    ['that passes it on to an instance that refuses it', 'synced', RULES, true],
  ])('is not that of an index %s', async (_, holds, rules, refused) => {
    expect(await first(holds, rules, refused)).toEqual(['a', 'b'])
  })
})
