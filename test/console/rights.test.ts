import { describe, expect, it } from 'vitest'
import { Rights, UNKNOWN_RIGHTS } from '../../console/kube/rights.js'

const rights = new Rights(
  [
    { verbs: ['get', 'list'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['update'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'] },
    { verbs: ['patch'], apiGroups: ['apps'], resources: ['*/scale'] },
  ],
  false,
)
const deployments = { group: 'apps', resource: 'deployments' }

describe('the rights of a caller', () => {
  it('are those that a rule gives, and no others', () => {
    expect(rights.may('get', { group: '', resource: 'secrets' })).toBe(true)
    expect(rights.may('delete', deployments)).toBe(false)
  })

  it('apply to the objects that a rule names', () => {
    expect(rights.may('update', deployments, 'web')).toBe(true)
    expect(rights.may('update', deployments, 'other')).toBe(false)
    expect(rights.may('update', deployments)).toBe(false)
  })

  it('apply to a subresource of every type where a rule gives that', () => {
    expect(rights.may('patch', { group: 'apps', resource: 'deployments/scale' })).toBe(true)
    expect(rights.may('patch', { group: 'apps', resource: 'deployments/status' })).toBe(false)
  })

  it('are not denied where the server’s list is incomplete', () => {
    expect(UNKNOWN_RIGHTS.may('delete', deployments)).toBe(true)
  })
})
