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

describe('what a caller may do', () => {
  it('is what a rule gives, and nothing else', () => {
    expect(rights.may('get', { group: '', resource: 'secrets' })).toBe(true)
    expect(rights.may('delete', deployments)).toBe(false)
  })

  it('is given for the objects that a rule names', () => {
    expect(rights.may('update', deployments, 'web')).toBe(true)
    expect(rights.may('update', deployments, 'other')).toBe(false)
    expect(rights.may('update', deployments)).toBe(false)
  })

  it('is given for a subresource of every type where a rule says so', () => {
    expect(rights.may('patch', { group: 'apps', resource: 'deployments/scale' })).toBe(true)
    expect(rights.may('patch', { group: 'apps', resource: 'deployments/status' })).toBe(false)
  })

  it('is not denied where the server did not say all', () => {
    expect(UNKNOWN_RIGHTS.may('delete', deployments)).toBe(true)
  })
})
