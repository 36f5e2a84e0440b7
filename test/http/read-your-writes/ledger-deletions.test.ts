import { describe, expect, it } from 'vitest'
import { CatchUp } from '../../../http/read-your-writes/catch-up.js'
import { LOST_FOR_MS } from '../../../http/read-your-writes/ledger.js'
import { ann, ben, everywhere, lost, maps, namespaces, refused, remove, start, wrote } from './ledgers.js'

describe('a pending deletion of a container object', () => {
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

  it('of any of its kind covers all contents', () => {
    const { ledger, expects } = start()
    const deletion = ledger.begin(ann, definitions, { verb: 'deletecollection', namespace: '' })
    expect(expects(ann, ships)).toBe(true)
    deletion.ended(refused)
    expect(expects(ann, ships)).toBe(false)
  })

  it('ends for other writes of the object', () => {
    const { ledger, expects } = start()
    ledger.begin(ann, namespaces, { ...remove('a'), verb: 'update' })
    expect(expects(ann, maps, inside('a'))).toBe(false)
  })
})

describe('the deletion of a namespace', () => {
  it('is kept whatever other callers delete', () => {
    const { ledger, write } = start()
    write(ann, namespaces, remove('gone'), wrote('gone'))
    for (let n = 0; n < 400; n++)
      write({ instance: 'i', user: `u${n}` }, namespaces, remove(`n${n}`), wrote(`n${n}`))
    const { deleted = [] } = ledger.expectedWrites(ann, maps, { namespace: 'gone' }) ?? {}
    expect(deleted.map(({ container }) => container)).toEqual([{ kind: 'namespace', name: 'gone' }])
  })

  it('becomes the deletion of any namespace when its caller deletes more than the ledger holds', () => {
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

  it('does not concern cluster-scoped objects', () => {
    const { write, expects } = start()
    write(ann, namespaces, remove('gone'), wrote('gone'))
    expect(expects(ann, { group: '', resource: 'nodes' }, { namespace: '', name: 'n' })).toBe(false)
  })
})

describe('a deletion of contents', () => {
  const crds = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

  it('of a namespace is checked in that namespace', () => {
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

  it('becomes that of any type when its caller deletes more CRDs than the ledger holds', () => {
    const { ledger, write } = start({ containers: 2 })
    for (const name of ['ones', 'twos', 'threes']) write(ann, crds, remove(`${name}.x.io`), wrote(name))
    const deletedOf = (resource: string) =>
      ledger
        .expectedWrites(ann, { group: 'x.io', resource }, everywhere)
        ?.deleted.map(({ container }) => container.name)
    expect([deletedOf('threes'), deletedOf('ones')]).toEqual([['threes.x.io', undefined], [undefined]])
  })
})
