import { expect } from 'vitest'
import { allTrees } from '../forest.js'
import { behaviour, type ReadBehaviour } from '../read-bench.js'

type Query = Readonly<Record<string, string | number | boolean>>

/** A query over both clusters and what it selects, in the order of the forest unless the query orders. */
const selections: readonly (readonly [string, Query, readonly string[]])[] = [
  ['names', { names: 'a,d' }, ['one/a', 'one/d', 'two/d']],
  ['a name nothing has', { names: 'nothing' }, []],
  ['labelSelector =', { labelSelector: 'parity=even' }, ['one/b', 'one/d', 'two/d', 'two/f']],
  ['labelSelector !=', { labelSelector: 'parity!=even' }, ['one/a', 'one/c', 'one/e', 'two/e', 'two/g']],
  ['labelSelector in', { labelSelector: 'tree in (a,g)' }, ['one/a', 'two/g']],
  ['labelSelector notin', { labelSelector: 'tree notin (b,c,d,e,f)' }, ['one/a', 'two/g']],
  ['labelSelector exists', { labelSelector: 'early' }, ['one/a', 'one/b']],
  [
    'labelSelector does not exist',
    { labelSelector: '!early,parity=odd' },
    ['one/c', 'one/e', 'two/e', 'two/g'],
  ],
  [
    'names as a label',
    { labelSelector: 'search.clusterpedia.io/names in (a,d)' },
    ['one/a', 'one/d', 'two/d'],
  ],
  ['a piece of a name', { labelSelector: 'internalstorage.clusterpedia.io/fuzzy-name=f' }, ['two/f']],
  ['fieldSelector on a nested number', { fieldSelector: '.spec.replicas=4' }, ['one/d', 'two/d']],
  ['fieldSelector without the dot', { fieldSelector: 'spec.replicas=7' }, ['two/g']],
  ['fieldSelector !=', { fieldSelector: '.spec.replicas!=4', names: 'd,f' }, ['two/f']],
  ['fieldSelector in', { fieldSelector: '.spec.replicas in (1,7)' }, ['one/a', 'two/g']],
  [
    'fieldSelector on an annotation',
    { fieldSelector: "metadata.annotations['example.test/rank']=3" },
    ['one/c'],
  ],
  ['fieldSelector exists', { fieldSelector: "metadata.labels['early']" }, ['one/a', 'one/b']],
  ['fieldSelector on the name', { fieldSelector: 'metadata.name=g' }, ['two/g']],
  ['since long ago', { since: '2001-01-01' }, allTrees],
  ['before long ago', { before: '2001-01-01' }, []],
  ['selectors together', { labelSelector: 'parity=even', fieldSelector: '.spec.replicas=6' }, ['two/f']],
]

/** Orders and pages; the order is part of what is claimed. */
const orders: readonly (readonly [string, Query, readonly string[]])[] = [
  [
    'orderby name',
    { orderby: 'name,cluster' },
    ['one/a', 'one/b', 'one/c', 'one/d', 'two/d', 'one/e', 'two/e', 'two/f', 'two/g'],
  ],
  [
    'orderby name desc',
    { orderby: 'name desc,cluster' },
    ['two/g', 'two/f', 'one/e', 'two/e', 'one/d', 'two/d', 'one/c', 'one/b', 'one/a'],
  ],
  [
    'orderby cluster and name',
    { orderby: 'cluster desc,name' },
    ['two/d', 'two/e', 'two/f', 'two/g', 'one/a', 'one/b', 'one/c', 'one/d', 'one/e'],
  ],
  [
    'orderby as a label',
    { labelSelector: 'search.clusterpedia.io/orderby=name_desc', names: 'a,b' },
    ['one/b', 'one/a'],
  ],
  ['limit', { orderby: 'cluster,name', limit: 2 }, ['one/a', 'one/b']],
  [
    'limit with continue as the offset',
    { orderby: 'cluster,name', limit: 2, continue: '3' },
    ['one/d', 'one/e'],
  ],
  ['an offset behind the end', { orderby: 'cluster,name', limit: 2, continue: '100' }, []],
  [
    'limit as a label',
    { orderby: 'cluster,name', labelSelector: 'search.clusterpedia.io/limit=1' },
    ['one/a'],
  ],
]

/** The query grammar: selecting, ordering and paging. */
export const selecting: readonly ReadBehaviour[] = [
  ...selections.map(([what, query, expected]) =>
    behaviour(`${what} selects ${expected.length} of ${allTrees.length}`, async k => {
      expect(k.listed(await k.deployments(query)).sort()).toEqual([...expected].sort())
    }),
  ),
  ...orders.map(([what, query, expected]) =>
    behaviour(`${what} gives ${expected.join(' ') || 'nothing'}`, async k => {
      expect(k.listed(await k.deployments(query))).toEqual(expected)
    }),
  ),
  behaviour('clusters selects one of several', async k => {
    const answer = await k.read(`/apis/apps/v1/namespaces/${k.namespace}/deployments`, {
      clusters: k.clusters[1],
    })
    expect(k.listed(answer).sort()).toEqual(['two/d', 'two/e', 'two/f', 'two/g'])
  }),
  behaviour('a full page has a continue token only with withContinue', async k => {
    const without = await k.deployments({ limit: 4, orderby: 'cluster,name' })
    expect(without.body.metadata?.continue).toBeUndefined()
    const withIt = await k.deployments({ limit: 4, orderby: 'cluster,name', withContinue: true })
    expect(withIt.body.metadata.continue).toBe('4')
    const next = await k.deployments({
      limit: 4,
      orderby: 'cluster,name',
      withContinue: true,
      continue: withIt.body.metadata.continue,
    })
    expect(k.listed(next)).toEqual(['one/e', 'two/d', 'two/e', 'two/f'])
    expect(next.body.metadata.continue).toBe('8')
  }),
  behaviour('a page that is not full has no continue token', async k => {
    const { body } = await k.deployments({
      limit: 4,
      orderby: 'cluster,name',
      withContinue: true,
      continue: '8',
    })
    expect(body.items).toHaveLength(1)
    expect(body.metadata?.continue).toBeUndefined()
  }),
  behaviour('what remains is counted with withRemainingCount', async k => {
    const { body } = await k.deployments({ limit: 4, orderby: 'cluster,name', withRemainingCount: true })
    expect(body.metadata.remainingItemCount).toBe(5)
  }),
  behaviour('an owner selects what it owns', async k => {
    const { body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/replicasets`,
      {
        ownerName: 'a',
      },
    )
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'a-leaf',
    ])
  }),
  behaviour('an owner’s uid selects what it owns', async k => {
    const owner = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/deployments/a`,
    )
    const { body } = await k.read(
      `/clusters/${k.clusters[0]}/apis/apps/v1/namespaces/${k.namespace}/replicasets`,
      {
        ownerUID: owner.body.metadata.uid,
      },
    )
    expect(body.items).toHaveLength(1)
  }),
  behaviour('a malformed labelSelector is a bad request', async k => {
    const { status } = await k.deployments({ labelSelector: 'a in b' })
    expect(status).toBe(400)
  }),
  behaviour('a malformed fieldSelector is refused', async k => {
    const { status } = await k.deployments({ fieldSelector: '.spec.replicas in (' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  }),
  behaviour('a fieldSelector into a list is refused as unprocessable', async k => {
    const { status } = await k.deployments({ fieldSelector: '.spec.template.spec.containers[].image=x' })
    expect(status).toBe(422)
  }),
]
