import { describe, expect, it } from 'vitest'
import { warningsOf } from '../../manifests/wide-subjects.js'

describe('a role binding', () => {
  it.each([
    ['Group', 'system:authenticated', 'everyone who can log in'],
    ['Group', 'system:serviceaccounts', 'each service account of the host'],
    ['Group', 'system:serviceaccounts:ci', 'each service account of the namespace ci'],
    ['Group', 'system:unauthenticated', 'everyone without a credential'],
    ['Group', 'system:masters', 'everyone who may do everything inside already'],
    ['User', 'system:anonymous', 'everyone without a credential'],
  ] as const)('that names the %s %s has a warning that says whom that is', (kind, name, says) => {
    const [warning, ...others] = warningsOf([
      { kind: 'User', name: 'ann' },
      { kind, name },
    ])
    expect(warning).toContain(`the ${kind.toLowerCase()} ${name} is ${says}`)
    expect(others).toEqual([])
  })

  it.each([
    ['User', 'system:authenticated'],
    ['Group', 'system:serviceaccounts:'],
    ['Group', 'oidc:system:authenticated'],
    ['Group', 'constructor'],
    ['ServiceAccount', 'system:serviceaccounts'],
  ] as const)('that names the %s %s has none', (kind, name) => {
    expect(warningsOf([{ kind, name }])).toEqual([])
  })
})
