import { describe, expect, it } from 'vitest'
import { roleNamespaces } from '../../../http/identity/role-namespaces.js'
import type { Subject } from '../../../manifests/instance-role-binding.js'
import { fakeRoleBindings } from '../fakes/role-bindings.js'

const ANN: Subject = { kind: 'User', name: 'ann' }
const DEV: Subject = { kind: 'Group', name: 'dev' }
const ann = () => ({ user: 'ann', groups: ['dev'], extra: {} })

/** Bindings, and those that were looked for in them. */
function given() {
  const bindings = fakeRoleBindings()
  let looked = 0
  const seen = Object.create(bindings, {
    givenTo: {
      value: (...[instance, holder]: Parameters<typeof bindings.givenTo>) => {
        looked += 1
        return bindings.givenTo(instance, holder)
      },
    },
  })
  return { bindings, seen, looked: () => looked }
}

describe('the namespaces that roles cover', () => {
  it('are those of all bindings of the caller and its groups, once each, sorted', () => {
    const { bindings } = given()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN, namespaces: ['web', 'shop'] })
    bindings.give('two', 'Editor', { instance: 'north', subject: DEV, namespaces: ['api', 'shop'] })
    bindings.give('of-bob', 'Editor', {
      ...{ instance: 'north', subject: { kind: 'User', name: 'bob' }, namespaces: ['bobs'] },
    })
    bindings.give('south', 'Editor', { instance: 'south', subject: ANN, namespaces: ['far'] })
    expect(roleNamespaces(bindings, ann(), 'north')).toEqual(['api', 'shop', 'web'])
  })

  it('are no matter where one role covers the whole instance, or none covers anything', () => {
    const { bindings } = given()
    expect(roleNamespaces(bindings, ann(), 'north')).toBeUndefined()
    bindings.give('some', 'Admin', { instance: 'north', subject: ANN, namespaces: ['shop'] })
    bindings.give('whole', 'Viewer', { instance: 'north', subject: DEV })
    expect(roleNamespaces(bindings, ann(), 'north')).toBeUndefined()
    expect(roleNamespaces(bindings, { ...ann(), user: 'bob', groups: [] }, 'north')).toBeUndefined()
  })

  it('are found once for a caller, and again after each change of the bindings', () => {
    const { bindings, seen, looked } = given()
    const caller = ann()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN, namespaces: ['shop'] })
    for (let time = 0; time < 3; time += 1) expect(roleNamespaces(seen, caller, 'north')).toEqual(['shop'])
    expect(looked()).toBe(1)
    bindings.give('two', 'Viewer', { instance: 'north', subject: ANN, namespaces: ['web'] })
    expect(roleNamespaces(seen, caller, 'north')).toEqual(['shop', 'web'])
    bindings.take('one')
    expect(roleNamespaces(seen, caller, 'north')).toEqual(['web'])
    bindings.take('two')
    expect(roleNamespaces(seen, caller, 'north')).toBeUndefined()
  })

  it.each([
    ['a minute', undefined, 60_000],
    ['as long as the settings say', 600_000, 600_000],
    ['as short as the settings say', 10_000, 10_000],
  ])('count for %s after the host was last heard', (_, graceMs, ms) => {
    const { bindings } = given()
    bindings.give('one', 'Viewer', { instance: 'north', subject: ANN, namespaces: ['shop'] })
    bindings.silentForMs = ms
    expect(roleNamespaces(bindings, ann(), 'north', graceMs)).toEqual(['shop'])
    bindings.silentForMs += 1
    expect(roleNamespaces(bindings, ann(), 'north', graceMs)).toBeUndefined()
  })
})
