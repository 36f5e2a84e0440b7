import { expect } from 'vitest'
import {
  type Behaviour,
  type Bench,
  behaviour,
  configMap,
  failure,
  type Group,
  type Json,
} from '../behaviour.js'

const names = ['ash', 'beech', 'cedar', 'dogwood', 'elm', 'fir', 'ginkgo']
/** Labels of the trees above: which are evergreen, and the rank of some. */
const evergreen = ['cedar', 'fir']
const ranked = ['ash', 'beech']

/** Selectors and the trees they select. */
const selections: readonly (readonly [string, readonly string[]])[] = [
  ['evergreen=true', evergreen],
  ['evergreen==true', evergreen],
  ['evergreen!=true', names.filter(name => !evergreen.includes(name))],
  ['evergreen', names],
  ['rank', ranked],
  ['!rank', names.filter(name => !ranked.includes(name))],
  ['rank in (1,2)', ranked],
  ['rank in (1)', ['ash']],
  ['rank notin (1)', names.filter(name => name !== 'ash')],
  ['rank in (1,2),evergreen=true', []],
  ['evergreen=false,rank', ranked],
  ['rank>1', ['beech']],
  ['rank<2', ['ash']],
]

function selection([selector, expected]: (typeof selections)[number]): Behaviour {
  return behaviour(`labelSelector ${selector} selects ${expected.join(', ') || 'nothing'}`, async k => {
    const { body } = await k.admin.get(k.core('configmaps'), { labelSelector: `tree,${selector}` })
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(expected)
  })
}

/** Reads a paged list to its end. */
async function pages(
  k: Bench,
  limit: number,
  between: () => Promise<void> = async () => undefined,
): Promise<Json[]> {
  const all: Json[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query: Record<string, string | number> = { limit, labelSelector: 'tree' }
    if (token !== '') query.continue = token
    const body = k.ok(await k.admin.get(k.core('configmaps'), query))
    all.push(body)
    token = body.metadata.continue
    await between()
  }
  return all
}

/** Lists: order, selectors and paging. */
export const list: Group = {
  name: 'list',
  prepare: async k => {
    for (const name of names)
      await k.configMap(
        {
          metadata: {
            labels: {
              tree: '',
              evergreen: String(evergreen.includes(name)),
              ...(ranked.includes(name) ? { rank: String(ranked.indexOf(name) + 1) } : {}),
            },
          },
        },
        name,
      )
  },
  behaviours: [
    behaviour('a list is ordered by name, and its items carry no apiVersion and kind', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), { labelSelector: 'tree' })
      expect(status).toBe(200)
      expect(body).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMapList' })
      expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(names)
      expect(body.items[0].kind).toBeUndefined()
      expect(body.items[0].apiVersion).toBeUndefined()
    }),
    behaviour('a list carries a resourceVersion no lower than that of its items', async k => {
      const { body } = await k.admin.get(k.core('configmaps'))
      for (const { metadata } of body.items)
        expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(metadata.resourceVersion))
    }),
    behaviour('an empty list is an empty array', async k => {
      const { body } = await k.admin.get(k.core('configmaps'), { labelSelector: 'tree=none' })
      expect(body.items).toEqual([])
    }),
    behaviour('a namespace that does not exist has an empty list', async k => {
      const { status, body } = await k.admin.get('/api/v1/namespaces/nowhere-at-all/configmaps')
      expect(status).toBe(200)
      expect(body.items).toEqual([])
    }),
    behaviour('a list over all namespaces is ordered by key in etcd: of `a-b` before `a`', async k => {
      const [name, label] = [k.name('order'), k.name('label')]
      const namespaces = [name, `${name}-b`, `${name}b`]
      for (const namespace of namespaces) {
        const kind = { apiVersion: 'v1', kind: 'Namespace' }
        await k.made('/api/v1/namespaces', { ...kind, metadata: { name: namespace } })
        const map = configMap('x', { metadata: { labels: { label } } })
        await k.made(`/api/v1/namespaces/${namespace}/configmaps`, map)
      }
      const { body } = await k.admin.get('/api/v1/configmaps')
      const keys = body.items.map(({ metadata }: Json) => `${metadata.namespace}/${metadata.name}`)
      expect(keys).toEqual([...keys].sort())
      const { body: some } = await k.admin.get('/api/v1/configmaps', { labelSelector: `label=${label}` })
      expect(some.items.map(({ metadata }: Json) => metadata.namespace)).toEqual([
        `${name}-b`,
        name,
        `${name}b`,
      ])
      for (const namespace of namespaces) await k.admin.delete(`/api/v1/namespaces/${namespace}`)
    }),
    behaviour('a path is read segment by segment, each decoded', async k => {
      const { metadata } = await k.configMap()
      const path = `/%61pi/v1/n%61mespaces/${k.namespace}/%63onfigmaps/%${metadata.name.charCodeAt(0).toString(16)}${metadata.name.slice(1)}`
      expect(k.ok(await k.admin.get(path)).metadata.name).toBe(metadata.name)
      k.ok(await k.admin.delete(path))
      expect((await k.admin.get(k.core('configmaps', metadata.name))).status).toBe(404)
    }),
    ...selections.map(selection),
    behaviour('a malformed labelSelector is a bad request', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), { labelSelector: 'a in b' })
      expect(status).toBe(400)
      expect(body).toMatchObject({ reason: 'BadRequest' })
      expect(body.message).toMatch(/^unable to parse requirement: /)
    }),
    behaviour('fieldSelector metadata.name selects one', async k => {
      const { body } = await k.admin.get(k.core('configmaps'), { fieldSelector: 'metadata.name=elm' })
      expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(['elm'])
    }),
    behaviour('fieldSelector metadata.name!= leaves one out', async k => {
      const { body } = await k.admin.get(k.core('configmaps'), {
        fieldSelector: 'metadata.name!=elm',
        labelSelector: 'tree',
      })
      expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(
        names.filter(name => name !== 'elm'),
      )
    }),
    behaviour('fieldSelector metadata.namespace works over all namespaces', async k => {
      const { body } = await k.admin.get('/api/v1/configmaps', {
        fieldSelector: `metadata.namespace=${k.namespace}`,
        labelSelector: 'tree',
      })
      expect(body.items).toHaveLength(names.length)
    }),
    behaviour('a field that cannot be selected by is a bad request', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), { fieldSelector: 'data.a=1' })
      expect(status).toBe(400)
      expect(body).toEqual(
        failure(
          400,
          'BadRequest',
          '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
      )
    }),
    behaviour('a Secret can be selected by type', async k => {
      const name = k.name('typed')
      await k.made(k.core('secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        type: 'example.test/kind',
      })
      const { body } = await k.admin.get(k.core('secrets'), { fieldSelector: 'type=example.test/kind' })
      expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual([name])
    }),
    behaviour('limit cuts the list and tells how to go on and how many remain', async k => {
      const { body } = await k.admin.get(k.core('configmaps'), { limit: 3 })
      expect(body.items).toHaveLength(3)
      expect(body.metadata.continue).toEqual(expect.any(String))
      expect(body.metadata.remainingItemCount).toBeGreaterThanOrEqual(names.length - 3)
    }),
    behaviour('with a selector the remaining count is not told', async k => {
      const { body } = await k.admin.get(k.core('configmaps'), { limit: 3, labelSelector: 'tree' })
      expect(body.items).toHaveLength(3)
      expect(body.metadata.continue).toEqual(expect.any(String))
      expect(body.metadata.remainingItemCount).toBeUndefined()
    }),
    behaviour('continue goes on where the page ended, and the last page has none', async k => {
      const all = await pages(k, 3)
      expect(all.map(({ items }) => items.length)).toEqual([3, 3, 1])
      expect(all.flatMap(({ items }) => items.map(({ metadata }: Json) => metadata.name))).toEqual(names)
      expect(all.at(-1).metadata.continue).toBeUndefined()
    }),
    behaviour('all pages carry the resourceVersion of the first', async k => {
      let writes = 0
      const all = await pages(k, 2, async () => {
        await k.configMap({}, `between-${++writes}`)
      })
      expect(new Set(all.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1)
      for (let write = 1; write <= writes; write++)
        await k.admin.delete(k.core('configmaps', `between-${write}`))
    }),
    behaviour('a paged list is a snapshot: writes between the pages are not seen', async k => {
      let turn = 0
      const all = await pages(k, 2, async () => {
        turn += 1
        await k.configMap({ metadata: { labels: { tree: '' } } }, `zz-late-${turn}`)
        k.ok(await k.admin.patch(k.core('configmaps', 'ginkgo'), 'merge', { data: { turn: String(turn) } }))
      })
      const items = all.flatMap(({ items }) => items)
      for (; turn > 0; turn--) await k.admin.delete(k.core('configmaps', `zz-late-${turn}`))
      expect(items.map(({ metadata }: Json) => metadata.name)).toEqual(names)
      expect(items.at(-1).data.turn).toBeUndefined()
    }),
    behaviour('an object deleted between the pages is still in the list', async k => {
      await k.configMap({ metadata: { labels: { tree: '' } } }, 'zz-short-lived')
      let deleted = false
      const all = await pages(k, 2, async () => {
        if (!deleted) await k.admin.delete(k.core('configmaps', 'zz-short-lived'))
        deleted = true
      })
      expect(all.flatMap(({ items }) => items).at(-1).metadata.name).toBe('zz-short-lived')
    }),
    behaviour('a nonsense continue token is a bad request', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), { limit: 2, continue: 'nonsense' })
      expect(status).toBe(400)
      expect(body.message).toMatch(/^invalid continue token: continue key is not valid: /)
    }),
    behaviour('a resourceVersion beside continue is a bad request', async k => {
      const { body: first } = await k.admin.get(k.core('configmaps'), { limit: 2 })
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        limit: 2,
        continue: first.metadata.continue,
        resourceVersion: first.metadata.resourceVersion,
      })
      expect(status).toBe(400)
      expect(body.message).toContain('specifying resource version is not allowed when using continue')
    }),
    behaviour('resourceVersion=0 serves any version', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        resourceVersion: 0,
        labelSelector: 'tree',
      })
      expect(status).toBe(200)
      expect(body.items.length).toBeGreaterThanOrEqual(0)
    }),
    behaviour('resourceVersionMatch=NotOlderThan serves at least that version', async k => {
      const made = await k.configMap()
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        resourceVersion: made.metadata.resourceVersion,
        resourceVersionMatch: 'NotOlderThan',
      })
      expect(status).toBe(200)
      expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        BigInt(made.metadata.resourceVersion),
      )
    }),
    behaviour('resourceVersionMatch=Exact serves the past', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      k.ok(await k.admin.patch(path, 'merge', { data: { a: 'later' } }))
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        resourceVersion: made.metadata.resourceVersion,
        resourceVersionMatch: 'Exact',
        fieldSelector: `metadata.name=${made.metadata.name}`,
      })
      expect(status).toBe(200)
      expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
      expect(body.items[0].data).toEqual({ a: '1' })
    }),
    behaviour('resourceVersionMatch without a resourceVersion is forbidden', async k => {
      const { status, body } = await k.admin.get(k.core('configmaps'), { resourceVersionMatch: 'Exact' })
      expect(status).toBe(422)
      expect(body.message).toContain(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      )
    }),
    behaviour('a resourceVersion from the future is Timeout with a cause', async k => {
      const { body: now } = await k.admin.get(k.core('configmaps'))
      const future = BigInt(now.metadata.resourceVersion) + 1_000_000n
      const { status, body } = await k.admin.get(k.core('configmaps'), {
        resourceVersion: String(future),
        resourceVersionMatch: 'NotOlderThan',
      })
      expect(status).toBe(504)
      expect(body).toMatchObject({
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
      })
      expect(body.message).toMatch(/^Timeout: Too large resource version: \d+, current: \d+$/)
    }),
    behaviour('a list of a kind without objects has its kind and a resourceVersion', async k => {
      const { body } = await k.admin.get(k.apps('daemonsets'))
      expect(body).toMatchObject({ apiVersion: 'apps/v1', kind: 'DaemonSetList', items: [] })
      expect(body.metadata.resourceVersion).toMatch(/^\d+$/)
    }),
    behaviour('a list is compressed for clients that ask, when it is large', async k => {
      await k.made(k.core('configmaps'), configMap(k.name('big'), { data: { big: 'x'.repeat(200_000) } }))
      const { headers } = await k.admin.get(k.core('configmaps'), {}, { 'accept-encoding': 'gzip' })
      expect(headers['content-encoding']).toBe('gzip')
    }),
  ],
}
