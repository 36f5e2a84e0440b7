import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../http/identity/caller.js'
import { callerAt } from '../../../http/proxy/at-member.js'
import { requestInfo } from '../../../http/proxy/route/request-info.js'

const ada: Caller = { user: 'ada', groups: ['ops', 'choir', 'system:authenticated'], extra: { a: ['b'] } }
const MEMBER = '/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/pods?limit=5'

function at(target: string, open: ReadonlySet<string> | undefined, caller = ada) {
  const asked: (string | undefined)[] = []
  const fleet = {
    groupsAtMember: (_: string, cluster: string | undefined) => {
      asked.push(cluster)
      return open
    },
  }
  return { caller: callerAt(fleet, 'north', { info: requestInfo('GET', target), target, caller }), asked }
}

describe('a request to a member', () => {
  it.each([
    [MEMBER, 'm1'],
    ['/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy', 'm1'],
    ['/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/pods', undefined],
  ])('names only the groups that the member lets Karmada impersonate: %s', (target, cluster) => {
    const { caller, asked } = at(target, new Set(['ops', 'others']))
    expect(caller).toEqual({ ...ada, groups: ['ops', 'system:authenticated'] })
    expect(asked).toEqual([cluster])
  })

  it('names all groups where it is not known which they are', () => {
    expect(at(MEMBER, undefined).caller).toBe(ada)
  })

  it('has one caller for the same groups, by which its headers are remembered', () => {
    const open = new Set(['ops'])
    expect(at(MEMBER, open).caller).toBe(at(MEMBER, open).caller)
  })

  it('of a caller without groups needs no look at RBAC', () => {
    const alone = { ...ada, groups: ['system:authenticated'] }
    expect(at(MEMBER, new Set(), alone)).toEqual({ caller: alone, asked: [] })
  })
})

describe('a request that the instance answers itself', () => {
  it.each([
    '/api/v1/pods',
    '/apis/cluster.karmada.io/v1alpha1/clusters/m1',
    '/apis/cluster.karmada.io/v1alpha1/clusters/m1/status',
    '/version',
  ])('names all groups: its policies may deny something to one that no RBAC names: %s', target => {
    expect(at(target, new Set())).toEqual({ caller: ada, asked: [] })
  })
})
