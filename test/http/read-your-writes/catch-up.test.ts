import { describe, expect, it } from 'vitest'
import { CatchUp, type ObjectSource } from '../../../http/read-your-writes/catch-up.js'
import type { Scope } from '../../../http/read-your-writes/expected-write.js'
import { LOST_FOR_MS, WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import type { ShownItem } from '../../../http/read-your-writes/shown-list.js'

const caller = { instance: 'i', user: 'ann' }
const maps = { group: '', version: 'v1', resource: 'configmaps' }
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' }
const namespaces = { group: '', version: 'v1', resource: 'namespaces' }

/** Somebody who shows what a test puts there, and counts how often it is asked. */
class Shelf implements ObjectSource {
  asked = 0
  readonly items: (ShownItem & { readonly of: string })[] = []

  constructor(public resourceVersion?: string) {}

  put(
    of: { readonly resource: string },
    place: string,
    version: string,
    more: Partial<ShownItem> = {},
  ): void {
    const [namespace = '', name = ''] = place.split('/')
    this.items.push({
      of: of.resource,
      namespace,
      name,
      uid: 'u',
      resourceVersion: version,
      deleting: false,
      ...more,
    })
  }

  list: ObjectSource['list'] = async (of, { namespace, names }) => {
    this.asked++
    const wanted = names?.map(({ name }) => name)
    const items = this.items.filter(
      item =>
        item.of === of.resource &&
        (!namespace || item.namespace === namespace) &&
        (!wanted || wanted.includes(item.name)),
    )
    return { items, ...(this.resourceVersion !== undefined && { resourceVersion: this.resourceVersion }) }
  }
}

function start(objects = 256) {
  let now = 1_000
  const ledger = new WriteLedger(() => now, { objects })
  const catchUp = new CatchUp(ledger)
  return {
    pass: (milliseconds: number) => (now += milliseconds),
    ledger,
    wrote(type: typeof maps, request: { verb: string; namespace: string; name?: string }, outcome: Outcome) {
      ledger.begin(caller, type, request).ended(outcome)
    },
    shows: (type: typeof maps, scope: Scope, index: ObjectSource, instance: ObjectSource) =>
      catchUp.shows({ caller, type, scope }, index, instance),
    look: (type: typeof maps, scope: Scope, index: ObjectSource) =>
      catchUp.look({ caller, type, scope }, index),
  }
}

const present = (place: string, resourceVersion: string): Outcome => {
  const [namespace = '', name = ''] = place.split('/')
  return { kind: 'wrote', namespace, name, expected: { kind: 'present', resourceVersion } }
}

describe('an index is checked', () => {
  it('only for the objects that the read covers, and not for those it has shown already', async () => {
    const { wrote, shows } = start()
    const index = new Shelf()
    wrote(maps, { verb: 'create', namespace: 'a' }, present('a/x', '100'))
    for (const scope of [{ namespace: 'b' }, { namespace: 'a', name: 'y' }])
      expect(await shows(maps, scope, index, new Shelf())).toBe(true)
    expect(await shows(deployments, { namespace: 'a' }, index, new Shelf())).toBe(true)
    expect(index.asked).toBe(0)
    expect(await shows(maps, { namespace: '' }, index, new Shelf('100'))).toBe(false)
    index.put(maps, 'a/x', '100')
    expect(await shows(maps, { namespace: 'a' }, index, new Shelf('100'))).toBe(true)
    const { asked } = index
    expect(await shows(maps, { namespace: 'a' }, index, new Shelf('100'))).toBe(true)
    expect(index.asked).toBe(asked)
  })

  it('and trusted when it reports its position, also for later deletions by others', async () => {
    const { wrote, shows } = start()
    wrote(maps, { verb: 'update', namespace: 'a', name: 'x' }, present('a/x', '100'))
    expect(await shows(maps, { namespace: 'a' }, new Shelf('99'), new Shelf('120'))).toBe(false)
    expect(await shows(maps, { namespace: 'a' }, new Shelf('100'), new Shelf('120'))).toBe(true)
  })
})

describe('a check of objects at the instance', () => {
  it('covers at most sixteen objects per read', async () => {
    const { wrote, shows, pass } = start()
    for (let n = 0; n < 50; n++)
      wrote(maps, { verb: 'update', namespace: 'a', name: `x${n}` }, { kind: 'lost' })
    pass(LOST_FOR_MS)
    const instance = new Shelf('200')
    expect(await shows(maps, { namespace: 'a' }, new Shelf(), instance)).toBe(false)
    expect(instance.asked).toBe(16)
  })

  it('runs once in two seconds for objects that the index lacks', async () => {
    const { wrote, shows, pass } = start()
    const instance = new Shelf('200')
    instance.put(maps, 'a/x', '150')
    wrote(maps, { verb: 'update', namespace: 'a', name: 'x' }, present('a/x', '100'))
    const asked = async (milliseconds: number) => {
      pass(milliseconds)
      expect(await shows(maps, { namespace: 'a' }, new Shelf(), instance)).toBe(false)
      return instance.asked
    }
    expect([await asked(2_000), await asked(1), await asked(2_000), await asked(1)]).toEqual([0, 1, 1, 2])
  })
})

describe('reads of a type go to the instance', () => {
  it('while a write is in flight, and as long as one whose answer was lost may still be executed', async () => {
    const { ledger, shows, pass } = start()
    const index = new Shelf('200')
    const instance = new Shelf('150')
    const pending = ledger.begin(caller, maps, { verb: 'update', namespace: 'a', name: 'x' })
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    pending.ended({ kind: 'lost' })
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    pass(LOST_FOR_MS - 1)
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    expect(instance.asked).toBe(0)
    pass(1)
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(true)
  })

  it('after more writes than the ledger holds, until the index has reached the last of them', async () => {
    const { wrote, shows } = start(3)
    for (const at of [1, 2, 3, 4, 5])
      wrote(maps, { verb: 'create', namespace: 'a' }, present(`a/x${at}`, `10${at}`))
    expect(await shows(maps, { namespace: 'b' }, new Shelf('103'), new Shelf('300'))).toBe(false)
    expect(await shows(maps, { namespace: 'b' }, new Shelf('104'), new Shelf('300'))).toBe(true)
    expect(await shows(maps, { namespace: 'a' }, new Shelf('105'), new Shelf('300'))).toBe(true)
  })

  it('after the deletion of a namespace, for every type, until it is gone and the index has reached that', async () => {
    const { wrote, shows } = start()
    const [index, instance] = [new Shelf('100'), new Shelf('110')]
    instance.put(namespaces, '/a', '105', { deleting: true })
    index.put(deployments, 'a/x', '50')
    wrote(namespaces, { verb: 'delete', namespace: '', name: 'a' }, present('/a', '105'))
    for (const scope of [{ namespace: 'a' }, { namespace: 'a', name: 'x' }, { namespace: '' }])
      expect(await shows(deployments, scope, index, instance)).toBe(false)
    expect(await shows(deployments, { namespace: 'b' }, index, instance)).toBe(true)
    instance.items.splice(0)
    instance.resourceVersion = '120'
    index.resourceVersion = '119'
    expect(await shows(deployments, { namespace: 'a' }, index, instance)).toBe(false)
    index.resourceVersion = '120'
    expect(await shows(deployments, { namespace: 'a' }, index, instance)).toBe(true)
  })

  it('after a lost answer to the deletion of a namespace, for every type, as long as it may be executed', async () => {
    const { wrote, shows, pass } = start()
    const [index, instance] = [new Shelf('200'), new Shelf('150')]
    instance.put(namespaces, '/a', '105')
    wrote(namespaces, { verb: 'delete', namespace: '', name: 'a' }, { kind: 'lost' })
    expect(await shows(deployments, { namespace: 'a' }, index, instance)).toBe(false)
    pass(LOST_FOR_MS - 1)
    expect(await shows(deployments, { namespace: 'a' }, index, instance)).toBe(false)
    pass(1)
    expect(await shows(deployments, { namespace: 'a' }, index, instance)).toBe(true)
  })

  it('after the deletion of the type’s CRD', async () => {
    const { wrote, shows } = start()
    const crds = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }
    wrote(
      crds,
      { verb: 'delete', namespace: '', name: 'ships.example.com' },
      present('/ships.example.com', '100'),
    )
    const ships = { group: 'example.com', version: 'v1', resource: 'ships' }
    expect(await shows(ships, { namespace: 'a' }, new Shelf('90'), new Shelf('101'))).toBe(false)
    expect(await shows(maps, { namespace: 'a' }, new Shelf('90'), new Shelf('101'))).toBe(true)
  })

  it('with Clusterpedia after a bulk deletion, until its time is over and a comparison finds nothing older', async () => {
    const { wrote, shows, pass } = start()
    let caughtUp = false
    const index = Object.assign(new Shelf(), { hasCaughtUp: () => caughtUp })
    const instance = new Shelf('110')
    instance.put(maps, 'a/kept', '90')
    index.put(maps, 'a/kept', '90')
    wrote(maps, { verb: 'deletecollection', namespace: 'a' }, { kind: 'unread' })
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    caughtUp = true
    index.put(maps, 'a/stale', '80')
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    index.items.pop()
    const { asked } = instance
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(false)
    expect(instance.asked).toBe(asked)
    pass(2_000)
    expect(await shows(maps, { namespace: 'a' }, index, instance)).toBe(true)
  })
})

it('writes of a caller that the ledger dropped are expected by every caller', () => {
  const ledger = new WriteLedger(() => 0, { callers: 2 })
  for (const user of ['ann', 'ben', 'cid'])
    ledger
      .begin({ instance: 'i', user }, maps, { verb: 'create', namespace: 'a' })
      .ended(present('a/x', '100'))
  const scope = { namespace: 'a' }
  expect(ledger.expectedWrites({ instance: 'i', user: 'dan' }, maps, scope)?.written).toHaveLength(1)
  expect(ledger.expectedWrites({ instance: 'j', user: 'dan' }, maps, scope)).toBeUndefined()
})
