import { describe, expect, it } from 'vitest'
import { CatchUp } from '../../../http/read-your-writes/catch-up.js'
import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'
import { HOST_CLUSTER, LOST_FOR_MS, WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import { collectGarbage } from '../../collect-garbage.js'

const maps = { group: '', resource: 'configmaps' }
const namespaces = { group: '', resource: 'namespaces' }
const ann = { instance: 'i', user: 'ann' }
const ben = { instance: 'i', user: 'ben' }
const everywhere = { namespace: '' }
const lost: Outcome = { kind: 'lost' }
const refused: Outcome = { kind: 'refused' }
const wrote = (name: string, resourceVersion = '100'): Outcome => ({
  kind: 'wrote',
  namespace: 'a',
  name,
  expected: { kind: 'present', resourceVersion },
})
const update = (name: string) => ({ verb: 'update', namespace: 'a', name })
const remove = (name: string) => ({ verb: 'delete', namespace: '', name })

function start(limits: ConstructorParameters<typeof WriteLedger>[1] = {}) {
  let now = 1_000
  const ledger = new WriteLedger(() => now, limits)
  return {
    ledger,
    pass: (milliseconds: number) => (now += milliseconds),
    write: (caller: typeof ann, type: WrittenType, request: ReturnType<typeof update>, outcome: Outcome) =>
      ledger.begin(caller, type, request).ended(outcome),
    expects: (
      caller: typeof ann,
      type: WrittenType,
      scope: { namespace: string; name?: string } = everywhere,
    ) => ledger.expectedWrites(caller, type, scope) !== undefined,
  }
}

describe('what one caller writes', () => {
  it('of many invented types changes nothing for another caller, nor for another instance', () => {
    const { ledger, write, expects } = start()
    for (let n = 0; n < 20_000; n++) write(ann, { group: 'x', resource: `r${n}` }, update('o'), lost)
    expect(expects(ann, maps)).toBe(true)
    expect(expects(ben, maps)).toBe(false)
    expect(ledger.expectedWrites({ ...ann, instance: 'j' }, maps, everywhere)).toBeUndefined()
  })

  it('takes bounded memory, whatever it is', () => {
    const { write } = start()
    const used = () => {
      collectGarbage({ type: 'major' })
      return process.memoryUsage().heapUsed
    }
    const flood = (outcome: Outcome) => {
      for (let n = 0; n < 20_000; n++) {
        write(ann, { group: 'x', resource: `r${n}` }, update(`o${n}`), outcome)
        write(ann, maps, update(`o${n}`), outcome)
        write(ann, namespaces, remove(`n${n}`), outcome)
      }
    }
    flood(lost)
    const before = used()
    flood(wrote('x'))
    flood(lost)
    expect(used() - before).toBeLessThan(2_000_000)
  })

  it('is expected of every type once types had to be forgotten, and of none that is checked after that', () => {
    const { ledger, write } = start({ types: 2 })
    const names = ['a', 'b', 'c'].map(resource => ({ group: '', resource }))
    for (const type of names) write(ann, type, update('x'), wrote('x'))
    const [forgotten, kept] = names as [WrittenType, WrittenType]
    const expected = (type: WrittenType) => ledger.expectedWrites(ann, type, everywhere)?.written ?? []
    expect([forgotten, kept, maps].map(type => expected(type).length)).toEqual([1, 2, 1])
    const [write_] = expected(maps)
    if (!write_) throw new Error('nothing is expected')
    const revision = ledger.revisionOf(write_)
    expect(ledger.setMinimumVersion(write_, revision, '200')).toBe(true)
    ledger.markShown(write_, revision)
    expect(expected(maps)).toEqual([])
    expect(ledger.highest(ann, maps)).toBe('200')
    // `b` is forgotten now, but it was written before configmaps were checked.
    write(ann, { group: '', resource: 'd' }, update('x'), wrote('x'))
    expect(expected(maps)).toEqual([])
    // `c`, `d` and `e` were written since, or while nobody looked.
    write(ann, { group: '', resource: 'e' }, update('x'), wrote('x'))
    write(ann, { group: '', resource: 'f' }, update('x'), wrote('x'))
    expect(expected(maps)).toHaveLength(1)
  })

  it('is not forgotten while it is under way', () => {
    const { ledger, expects, write } = start({ types: 1, callers: 1 })
    const pending = ledger.begin(ann, maps, update('x'))
    for (let n = 0; n < 10; n++) write(ann, { group: 'x', resource: `r${n}` }, update('x'), wrote('x'))
    for (let n = 0; n < 10; n++) write({ instance: 'i', user: `u${n}` }, maps, update('y'), wrote('y'))
    expect(ledger.expectedWrites(ann, maps, { namespace: 'a', name: 'x' })?.written).toContainEqual(
      expect.objectContaining({ name: 'x', underWay: 1 }),
    )
    pending.ended(wrote('x', '300'))
    expect(expects(ann, maps, { namespace: 'a', name: 'x' })).toBe(true)
  })
})

describe('of writes to one object', () => {
  const expectation = (ledger: WriteLedger) =>
    ledger.expectedWrites(ann, maps, { namespace: 'a', name: 'x' })?.written[0]?.expected
  const gone: Outcome = { kind: 'wrote', namespace: 'a', name: 'x', expected: { kind: 'gone', uid: 'u' } }

  it('the last one to end decides, when none of them overlap', () => {
    const { ledger, write } = start()
    write(ann, maps, update('x'), wrote('x', '100'))
    write(ann, maps, update('x'), wrote('x', '200'))
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('none decides alone, when they overlap: their answers came in no known order', () => {
    const { ledger } = start()
    const first = ledger.begin(ann, maps, update('x'))
    const second = ledger.begin(ann, maps, { verb: 'delete', namespace: 'a', name: 'x' })
    second.ended(gone)
    first.ended(wrote('x', '300'))
    expect(expectation(ledger)).toEqual({ kind: 'unknown' })
  })

  it('a later one does not decide while one whose answer was lost may still be executed', () => {
    const { ledger, write, pass } = start()
    write(ann, maps, update('x'), lost)
    pass(LOST_FOR_MS - 1)
    write(ann, maps, update('x'), wrote('x', '100'))
    expect(expectation(ledger)).toEqual({ kind: 'unknown' })
    pass(1)
    write(ann, maps, update('x'), wrote('x', '200'))
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('what was found out about an earlier one says nothing about a later one', () => {
    const { ledger, write } = start()
    write(ann, maps, update('x'), wrote('x', '100'))
    const [earlier] = ledger.expectedWrites(ann, maps, everywhere)?.written ?? []
    if (!earlier) throw new Error('nothing is expected')
    const revision = ledger.revisionOf(earlier)
    write(ann, maps, update('x'), wrote('x', '200'))
    ledger.markShown(earlier, revision)
    ledger.resolve(earlier, revision, { kind: 'gone', uid: 'u' })
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('each ends once, whatever is said of it afterwards', () => {
    const { ledger } = start()
    const write = ledger.begin(ann, maps, update('x'))
    write.ended(wrote('x', '100'))
    write.ended(lost)
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '100' })
  })
})

describe('the deletion of a container that is under way', () => {
  const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
  const ships = { group: 'example.com', resource: 'ships' }
  const events = { group: '', resource: 'events' }
  const inside = (namespace: string, name?: string) => ({ namespace, ...(name !== undefined && { name }) })

  it.each([
    ['keeps a read of its namespace from the index', namespaces, 'a', maps, inside('a'), true],
    ['keeps a read of one object in it from the index', namespaces, 'a', events, inside('a', 'x'), true],
    ['keeps a read of all namespaces from the index', namespaces, 'a', maps, everywhere, true],
    ['leaves a read of another namespace alone', namespaces, 'a', maps, inside('b'), false],
    [
      'keeps a read of its type from the index',
      definitions,
      'ships.example.com',
      ships,
      inside('b', 'x'),
      true,
    ],
    ['leaves a read of another type alone', definitions, 'ships.example.com', maps, everywhere, false],
  ])('%s', (_, type, name, read, scope, isKept) => {
    const { ledger, expects } = start()
    const catchUp = new CatchUp(ledger)
    const isPending = () =>
      catchUp.isPending({ caller: ann, type: { ...read, version: 'v1' }, scope }) && expects(ann, read, scope)
    const deletions = [1, 2].map(() => ledger.begin(ann, type, remove(name)))
    expect(isPending()).toBe(isKept)
    expect(expects(ben, read, scope)).toBe(false)
    deletions[0]?.ended(refused)
    expect(isPending()).toBe(isKept)
    deletions[1]?.ended(refused)
    expect(expects(ann, read, scope)).toBe(false)
  })

  it('of any of its kind concerns all contents', () => {
    const { ledger, expects } = start()
    const deletion = ledger.begin(ann, definitions, { verb: 'deletecollection', namespace: '' })
    expect(expects(ann, ships)).toBe(true)
    deletion.ended(refused)
    expect(expects(ann, ships)).toBe(false)
  })

  it('is none for other writes of it', () => {
    const { ledger, expects } = start()
    ledger.begin(ann, namespaces, { ...remove('a'), verb: 'update' })
    expect(expects(ann, maps, inside('a'))).toBe(false)
  })
})

describe('the deletion of a namespace', () => {
  it('is remembered whatever other callers delete', () => {
    const { ledger, write } = start()
    write(ann, namespaces, remove('gone'), wrote('gone'))
    for (let n = 0; n < 400; n++)
      write({ instance: 'i', user: `u${n}` }, namespaces, remove(`n${n}`), wrote(`n${n}`))
    const { deleted = [] } = ledger.expectedWrites(ann, maps, { namespace: 'gone' }) ?? {}
    expect(deleted.map(({ container }) => container)).toEqual([{ kind: 'namespace', name: 'gone' }])
  })

  it('becomes the deletion of any, when its caller deletes more of them than are remembered', () => {
    const { ledger, write } = start({ containers: 2 })
    for (const name of ['one', 'two', 'three']) write(ann, namespaces, remove(name), wrote(name))
    const deletedIn = (namespace: string) =>
      ledger.expectedWrites(ann, maps, { namespace })?.deleted.map(({ container }) => container.name)
    expect([deletedIn('three'), deletedIn('one'), deletedIn('other')]).toEqual([
      ['three', undefined],
      [undefined],
      [undefined],
    ])
  })

  it('says nothing about an object that is in no namespace', () => {
    const { write, expects } = start()
    write(ann, namespaces, remove('gone'), wrote('gone'))
    expect(expects(ann, { group: '', resource: 'nodes' }, { namespace: '', name: 'n' })).toBe(false)
  })
})

describe('nothing is remembered', () => {
  it.each([
    ['that was refused', maps, refused],
    ['of a type whose name no API server can serve', { group: '', resource: 'r'.repeat(254) }, lost],
    ['of a group whose name no API server can serve', { group: 'g'.repeat(254), resource: 'r' }, lost],
  ])('%s', (_, type, outcome) => {
    const { write, expects } = start()
    write(ann, type, update('x'), outcome)
    expect(expects(ann, type)).toBe(false)
  })

  it('of an instance that is gone; the host cluster stays', () => {
    const { ledger, write, expects } = start()
    for (const instance of ['i', 'j', HOST_CLUSTER]) write({ instance, user: 'ann' }, maps, update('x'), lost)
    ledger.keepOnly(instance => instance === 'j')
    const left = ['i', 'j', HOST_CLUSTER].map(instance => expects({ instance, user: 'ann' }, maps))
    expect(left).toEqual([false, true, true])
  })
})

it('a name that no object can have counts as all objects of the type', () => {
  const { write, expects } = start()
  write(ann, maps, update('x'.repeat(300)), lost)
  expect(expects(ann, maps, { namespace: 'a', name: 'any' })).toBe(true)
})

it('both groups of events show the same objects', () => {
  const { write, expects } = start()
  write(ann, { group: 'events.k8s.io', resource: 'events' }, update('x'), wrote('x'))
  expect(expects(ann, { group: '', resource: 'events' })).toBe(true)
  expect(expects(ann, { group: 'other', resource: 'events' })).toBe(false)
})

it('a lost write of a forgotten type may still be executed', () => {
  const { ledger, write, pass } = start({ types: 1 })
  write(ann, maps, update('x'), lost)
  write(ann, namespaces, update('x'), wrote('x'))
  const isOpen = () =>
    ledger.expectedWrites(ann, maps, everywhere)?.written.some(({ notBefore }) => ledger.now() < notBefore)
  expect(isOpen()).toBe(true)
  pass(LOST_FOR_MS)
  expect(isOpen()).toBe(false)
})

describe('a write whose type was forgotten', () => {
  const [one, two, three] = ['one', 'two', 'three'].map(resource => ({ group: 'x', resource })) as [
    WrittenType,
    WrittenType,
    WrittenType,
  ]
  const only = (ledger: WriteLedger, type: WrittenType) => {
    const [found, ...more] = ledger.expectedWrites(ann, type, everywhere)?.written ?? []
    if (!found || more.length > 0) throw new Error('not one write is expected')
    return found
  }
  /** Finds out that the index shows all of a type. */
  const check = (ledger: WriteLedger, type: WrittenType) => {
    const found = only(ledger, type)
    const revision = ledger.revisionOf(found)
    ledger.setMinimumVersion(found, revision, '200')
    ledger.markShown(found, revision)
  }

  it('is expected again after a check that came before it could no longer be executed', () => {
    const { ledger, write, pass, expects } = start({ types: 1 })
    write(ann, one, update('x'), lost)
    write(ann, two, update('x'), wrote('x'))
    pass(LOST_FOR_MS - 1)
    check(ledger, one)
    expect(expects(ann, one)).toBe(true)
    pass(1)
    check(ledger, one)
    expect(expects(ann, one)).toBe(false)
  })

  it('may still be executed although a later one, forgotten as well, cannot', () => {
    const { ledger, write } = start({ types: 1 })
    write(ann, one, update('x'), lost)
    for (const type of [two, three]) write(ann, type, update('x'), wrote('x'))
    expect(only(ledger, one).notBefore).toBe(1_000 + LOST_FOR_MS)
  })

  it('is as old as the last of those that were forgotten', () => {
    const { ledger, write, pass } = start({ types: 1 })
    write(ann, one, update('x'), wrote('x'))
    pass(500)
    for (const type of [two, three]) write(ann, type, update('x'), wrote('x'))
    expect(only(ledger, one).since).toBe(1_500)
  })

  it('is expected anew of a type that was checked before 128 others were read', () => {
    const { ledger, write, expects } = start({ types: 1 })
    for (const type of [one, two]) write(ann, type, update('x'), wrote('x'))
    check(ledger, maps)
    for (let n = 0; n < 127; n++) expects(ann, { group: 'y', resource: `r${n}` })
    expect(expects(ann, maps)).toBe(false)
    for (let n = 0; n < 128; n++) expects(ann, { group: 'y', resource: `r${n}` })
    expect(expects(ann, maps)).toBe(true)
  })
})

describe('what a forgotten caller wrote is expected by everybody', () => {
  const ships = { group: 'example.com', resource: 'ships' }
  const boats = { group: 'example.com', resource: 'boats' }

  it('also where a namespace was deleted: its contents, and those of any other', () => {
    const { ledger, write } = start({ callers: 1 })
    write(ann, namespaces, remove('gone'), wrote('gone'))
    write(ben, maps, update('x'), wrote('x'))
    const { deleted = [] } = ledger.expectedWrites(ben, ships, { namespace: 'gone' }) ?? {}
    expect(deleted.map(({ container }) => container)).toEqual([{ kind: 'namespace' }])
  })

  it('also where its types were forgotten before, and all else was seen', () => {
    const { ledger, write, expects } = start({ callers: 1, types: 1 })
    write(ann, ships, update('x'), wrote('x'))
    write(ann, boats, update('x'), wrote('x'))
    for (const seen of ledger.expectedWrites(ann, boats, everywhere)?.written ?? [])
      if (seen.name === 'x') ledger.markShown(seen, ledger.revisionOf(seen))
    write(ben, maps, update('x'), wrote('x'))
    expect(expects({ instance: 'i', user: 'cid' }, ships)).toBe(true)
  })

  it('as long as the first of its writes may still be executed', () => {
    const { ledger, write } = start({ callers: 1 })
    write(ann, ships, update('x'), lost)
    write(ann, boats, update('x'), wrote('x'))
    write(ben, maps, update('x'), wrote('x'))
    const [expected] = ledger.expectedWrites(ben, ships, everywhere)?.written ?? []
    expect(expected?.notBefore).toBe(1_000 + LOST_FOR_MS)
  })
})

describe('the deletion of contents', () => {
  const crds = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

  it('of a namespace is looked for in that namespace', () => {
    const { ledger, write } = start()
    write(ann, namespaces, remove('gone'), wrote('gone'))
    const { deleted = [] } = ledger.expectedWrites(ann, maps, everywhere) ?? {}
    expect(deleted).toMatchObject([{ contents: { namespace: 'gone' } }])
  })

  it('may still be executed when a first attempt was lost and a second one was answered', () => {
    const { ledger, write } = start()
    for (const outcome of [lost, wrote('gone')]) write(ann, namespaces, remove('gone'), outcome)
    const { deleted = [] } = ledger.expectedWrites(ann, maps, { namespace: 'gone' }) ?? {}
    expect(deleted).toMatchObject([{ contents: { notBefore: 1_000 + LOST_FOR_MS } }])
  })

  it('becomes that of any type, when its caller deletes more definitions than are remembered', () => {
    const { ledger, write } = start({ containers: 2 })
    for (const name of ['ones', 'twos', 'threes']) write(ann, crds, remove(`${name}.x.io`), wrote(name))
    const deletedOf = (resource: string) =>
      ledger
        .expectedWrites(ann, { group: 'x.io', resource }, everywhere)
        ?.deleted.map(({ container }) => container.name)
    expect([deletedOf('threes'), deletedOf('ones')]).toEqual([['threes.x.io', undefined], [undefined]])
  })
})

describe('objects that become all objects of their type', () => {
  const remembered = (ledger: WriteLedger) =>
    ledger
      .expectedWrites(ann, maps, everywhere)
      ?.written.map(({ name, minimumVersion }) => [name, minimumVersion])

  it('leave out one that is being written, whose outcome is then its own', () => {
    const { ledger, write } = start({ objects: 1 })
    const pending = ledger.begin(ann, maps, update('x'))
    for (const name of ['y', 'z']) write(ann, maps, update(name), wrote(name, '100'))
    pending.ended(wrote('x', '300'))
    expect(remembered(ledger)).toEqual([
      ['x', undefined],
      [undefined, '100'],
    ])
  })

  it('are shown from no version that is known, where some of them were written at an unknown one', () => {
    const { ledger, write } = start({ objects: 1 })
    ledger.begin(ann, maps, { verb: 'deletecollection', namespace: '' }).ended({ kind: 'unread' })
    for (const name of ['x', 'y']) write(ann, maps, update(name), wrote(name, '100'))
    expect(remembered(ledger)).toEqual([[undefined, undefined]])
  })

  it('may still be executed as long as any of them may', () => {
    const { ledger, write } = start({ objects: 1 })
    write(ann, maps, update('x'), lost)
    for (const name of ['y', 'z']) write(ann, maps, update(name), wrote(name, '100'))
    const [all] = ledger.expectedWrites(ann, maps, { namespace: 'other' })?.written ?? []
    expect(all?.notBefore).toBe(1_000 + LOST_FOR_MS)
  })
})
