import { describe, expect, it } from 'vitest'
import { keyOfObject } from '../../../../http/rpc/distribution/binding-of.js'
import { type DistributedEvent, DistributedList } from '../../../../http/rpc/distribution/distributed-list.js'
import type { Distribution } from '../../../../http/rpc/distribution/distribution.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { Binding } from '../../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../../manifests/kube.js'

const template = (name: string, namespace = 'shop'): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name, namespace },
})
const bindingFor = (name: string, clusters: readonly string[], group = 'apps/v1') =>
  ({
    metadata: { name: `${name}-deployment`, namespace: 'shop' },
    spec: {
      resource: { apiVersion: group, kind: 'Deployment', name, namespace: 'shop' },
      clusters: clusters.map(cluster => ({ name: cluster, replicas: 1 })),
    },
  }) as unknown as Binding
const cluster = (name: string, ready = 'True', nodes = 1) =>
  ({
    metadata: { name },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: ready }], nodeSummary: { totalNum: nodes } },
  }) as unknown as Cluster

/** The steps in short: type, name, how many match, and the clusters that are shown as reachable. */
const short = (steps: readonly DistributedEvent<KubeObject>[]) =>
  steps.map(step =>
    'object' in step
      ? [step.type, step.object.metadata.name, step.total, reached(step.extra)]
      : [step.type, step.total],
  )
const reached = ({ shares }: Distribution) =>
  shares.filter(({ reachable }) => reachable).map(share => share.cluster)

/** A list with one template, `web`, that a binding places in `one`. */
function begun(matches: (object: KubeObject, distribution: Distribution) => boolean = () => true) {
  const bindings = new Map([bindingFor('web', ['one'])].map(binding => [keyOfObject(binding), binding]))
  const list = new DistributedList(matches)
  const before = [...list.bindings(bindings), ...list.clusters([cluster('one'), cluster('two')])]
  const steps = [
    ...list.object({ type: 'RESET', total: 0 }),
    ...list.object({ type: 'ADDED', object: template('web'), total: 1 }),
    ...list.object({ type: 'BOOKMARK', total: 1 }),
  ]
  const change = (binding: Binding, isThere = true) => {
    if (isThere) bindings.set(keyOfObject(binding), binding)
    else bindings.delete(keyOfObject(binding))
    return list.binding(binding)
  }
  return { list, before, steps, change, bindings }
}
const isPlaced = (_: KubeObject, { placed }: Distribution) => placed === true

describe('a list whose distributions are followed', () => {
  it('starts with the objects and their distributions, and emits nothing before them', () => {
    const { before, steps } = begun()
    expect(before).toEqual([])
    expect(short(steps)).toEqual([
      ['RESET', 0],
      ['ADDED', 'web', 1, ['one']],
      ['BOOKMARK', 1],
    ])
  })

  it('emits a change of placement as a change of its object', () => {
    const { change } = begun()
    expect(short(change(bindingFor('web', ['one', 'two'])))).toEqual([['MODIFIED', 'web', 1, ['one', 'two']]])
    expect(short(change(bindingFor('web', ['one', 'two']), false))).toEqual([['MODIFIED', 'web', 1, []]])
  })

  it('emits nothing for a binding without a visible change, or of an object that is not listed', () => {
    const { change } = begun()
    expect(change(bindingFor('web', ['one']))).toEqual([])
    expect(change(bindingFor('other', ['one']))).toEqual([])
  })

  it('ignores a binding for a kind of the same name in another group', () => {
    const { change } = begun()
    expect(short(change(bindingFor('web', ['two'], 'other.io/v1')))).toEqual([['MODIFIED', 'web', 1, []]])
  })

  it('emits a cluster’s loss of contact once, and no other change of clusters', () => {
    const { list } = begun()
    expect(list.clusters([cluster('one', 'True', 7), cluster('two')])).toEqual([])
    expect(short(list.clusters([cluster('one', 'False'), cluster('two')]))).toEqual([
      ['MODIFIED', 'web', 1, []],
    ])
    expect(list.clusters([cluster('one', 'False', 8), cluster('two')])).toEqual([])
    expect(list.clusters([cluster('one', 'False'), cluster('two', 'False')])).toEqual([])
  })

  it('adds and removes an object when its clusters start or stop to match, and counts the matches', () => {
    const { list, steps, change } = begun(isPlaced)
    expect(short(steps)[1]).toEqual(['ADDED', 'web', 1, ['one']])
    expect(short(change(bindingFor('web', [])))).toEqual([['LEFT', 'web', 0, []]])
    expect(list.object({ type: 'MODIFIED', object: template('web'), total: 1 })).toEqual([])
    expect(short(change(bindingFor('web', ['two'])))).toEqual([['ADDED', 'web', 1, ['two']]])
    expect(short(list.object({ type: 'DELETED', object: template('web'), total: 0 }))).toEqual([
      ['DELETED', 'web', 0, ['two']],
    ])
    expect(change(bindingFor('web', ['one']))).toEqual([])
  })

  it('emits nothing for the deletion of an object that was not listed', () => {
    const { list } = begun(isPlaced)
    expect(list.object({ type: 'ADDED', object: template('hidden'), total: 2 })).toEqual([])
    expect(list.object({ type: 'DELETED', object: template('hidden'), total: 1 })).toEqual([])
  })

  it('restarts with its objects, and with all bindings at once', () => {
    const { list } = begun()
    expect(short(list.object({ type: 'RESET', total: 0 }))).toEqual([['RESET', 0]])
    expect(list.bindings(new Map())).toEqual([])
    expect(short(list.object({ type: 'ADDED', object: template('web'), total: 1 }))).toEqual([
      ['ADDED', 'web', 1, []],
    ])
  })

  it('reports an unknown distribution to a caller who may not read bindings', () => {
    const list = new DistributedList<KubeObject>(() => true)
    list.bindings(undefined)
    const [step] = list.object({ type: 'ADDED', object: template('web'), total: 1 })
    expect(step).toMatchObject({ extra: { placed: 'unknown', shares: [] } })
  })
})
