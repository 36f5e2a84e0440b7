import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { writeFleetContexts } from '../../../cli/login/fleet-contexts.js'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contexts-'))
  path = join(folder, 'config')
})
afterEach(() => rmSync(folder, { recursive: true }))

const server = 'https://kairship.test:8443'
const user = { exec: { command: 'kairship' } }
const write = (...instances: string[]) => writeFleetContexts(path, { server, instances, user })
const read = () => parse(readFileSync(path, 'utf8'))
const namesOf = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name)
/** Somebody's own entries, with one that has a name which a login would take. */
const own = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name, cluster: { server: 'https://elsewhere.test' } }],
  users: [{ name, user: { token: 'own' } }],
  contexts: [{ name, context: { cluster: name, user: name } }],
  'current-context': name,
})

describe('the kubeconfig of a fleet', () => {
  it('has a context for each instance, all with one user, and the first as current context', () => {
    expect(
      writeFleetContexts(path, { server, instances: ['eu', 'us'], user, certificateAuthorityData: 'PEM' }),
    ).toEqual({
      contexts: ['kairship-eu', 'kairship-us'],
      removed: [],
      current: 'kairship-eu',
    })
    const { clusters, users, contexts, ...rest } = read()
    expect(users).toEqual([{ name: 'kairship@kairship.test:8443', user }])
    expect(clusters[1]).toEqual({
      name: 'kairship-us',
      cluster: {
        server: `${server}/apis/kairship.io/v1alpha1/instances/us/proxy`,
        'certificate-authority-data': Buffer.from('PEM').toString('base64'),
      },
    })
    expect(contexts).toEqual(
      ['kairship-eu', 'kairship-us'].map(name => ({
        name,
        context: { cluster: name, user: 'kairship@kairship.test:8443' },
      })),
    )
    expect(rest).toEqual({ apiVersion: 'v1', kind: 'Config', 'current-context': 'kairship-eu' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('leaves what is there of others as it is, also under a name that it would take', () => {
    const before = own('kairship-eu')
    writeFileSync(path, stringify(before))
    expect(write('eu').contexts).toEqual(['kairship-eu@kairship.test:8443'])
    const after = read()
    for (const key of ['clusters', 'users', 'contexts'] as const)
      expect(after[key][0]).toEqual(before[key][0])
    expect(after['current-context']).toBe('kairship-eu')
  })

  it('loses the contexts of instances that are gone, and gets those that are new', () => {
    writeFileSync(path, stringify(own('mine')))
    write('eu', 'us')
    expect(write('us', 'ap')).toMatchObject({
      contexts: ['kairship-us', 'kairship-ap'],
      removed: ['kairship-eu'],
    })
    expect(namesOf(read().contexts)).toEqual(['mine', 'kairship-us', 'kairship-ap'])
    expect(namesOf(read().clusters)).toEqual(['mine', 'kairship-us', 'kairship-ap'])
    expect(read().users).toHaveLength(2)
  })

  it('has no current context when that one is removed, so that no command goes somewhere else', () => {
    write('eu', 'us')
    expect(write('us')).toEqual({ contexts: ['kairship-us'], removed: ['kairship-eu'] })
    expect(read()['current-context']).toBe('')
  })

  it('keeps what its user has set in a context, and a context that they made of one', () => {
    write('eu', 'us')
    const set = read()
    set.contexts[1].context.namespace = 'shop'
    set.contexts.push({ name: 'prod', context: { ...set.contexts[0].context } })
    writeFileSync(path, stringify(set))
    write('us')
    expect(namesOf(read().contexts)).toEqual(['prod', 'kairship-us'])
    expect(read().contexts[1].context.namespace).toBe('shop')
    expect(namesOf(read().clusters)).toEqual(['kairship-eu', 'kairship-us'])
  })

  it('leaves a context to its user that they have sent elsewhere under the name of an instance', () => {
    write('eu', 'us')
    const set = read()
    set.contexts[0].context.cluster = 'kairship-us'
    writeFileSync(path, stringify(set))
    expect(write('us').removed).toEqual([])
    expect(namesOf(read().contexts)).toEqual(['kairship-eu', 'kairship-us'])
  })

  it('leads nowhere else than to the proxy of an instance, whatever its name is', () => {
    write('../../x')
    expect(read().clusters[0].cluster.server).toBe(
      `${server}/apis/kairship.io/v1alpha1/instances/..%2F..%2Fx/proxy`,
    )
  })

  it('has the entries of two Kairships beside each other', () => {
    write('eu')
    writeFleetContexts(path, { server: 'https://other.test', instances: ['eu'], user })
    expect(namesOf(read().contexts)).toEqual(['kairship-eu', 'kairship-eu@other.test'])
    expect(namesOf(read().users)).toEqual(['kairship@kairship.test:8443', 'kairship@other.test'])
    expect(write().removed).toEqual(['kairship-eu'])
    expect(namesOf(read().contexts)).toEqual(['kairship-eu@other.test'])
  })

  it('is not written over a file that is none', () => {
    writeFileSync(path, 'contexts: 7')
    expect(() => write('eu')).toThrow('nothing was changed')
    expect(readFileSync(path, 'utf8')).toBe('contexts: 7')
  })
})
