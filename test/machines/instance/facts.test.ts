import { describe, expect, it } from 'vitest'
import {
  type Facts,
  isAssessed,
  isDistinct,
  isReachedWithCurrent,
  mayHaveRoleBindings,
  specProblem,
} from '../../../machines/instance/facts.js'
import { reduceFact } from '../../../machines/instance/reduce-fact.js'
import { type FactName, facts, instance } from './facts.js'
import { reached, type Step, walked, whole } from './walked.js'

const knowing = (...steps: Step[]) => walked({}, ...steps).snapshot.context
const adopt = { kubeconfigSecretRef: { namespace: 'fleet', name: 'alpha' } }

describe('a spec', () => {
  it.each([
    ['a name of 61 characters is good', { name: 'x'.repeat(61) }, undefined],
    [
      'a name of 62 characters is too long for what is named after it',
      { name: 'x'.repeat(62) },
      'the name has 62 characters; at most 61 are allowed',
    ],
    ['a name with a dot', { name: 'a.b' }, 'the name contains a dot; it must be a DNS label'],
    ['neither of both', { spec: {} }, 'neither kubeconfigSecretRef (adopt) nor install is set'],
    ['both', { spec: { ...adopt, install: {} } }, 'both kubeconfigSecretRef and install are set'],
    ['an adoption', { spec: adopt }, undefined],
    ['an installation', { spec: { install: {} } }, undefined],
  ])('%s', (_what, cr, problem) => expect(specProblem(instance(cr))).toBe(problem))
})

it.each([
  ['True', true],
  ['False', true],
  ['Unknown', false],
] as const)('with an earlier status of %s, role bindings may exist inside: %s', (status, may) => {
  const condition = {
    ...{ type: 'RoleBindingsMaterialized', status, reason: '', message: '' },
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  expect(mayHaveRoleBindings(instance({ status: { conditions: [condition] } }))).toBe(may)
  const other = { ...condition, type: 'Registered' }
  expect(mayHaveRoleBindings(instance({ status: { conditions: [other] } }))).toBe(false)
})

describe('facts about a connection', () => {
  it('are cleared when the connection is replaced; facts from the host stay', () => {
    const known = knowing(...whole, 'moving', 'impersonated', {
      type: 'statistics.observed',
      statistics: { ok: false, failure: { reason: 'Unavailable', stage: 'statistics', message: '' } },
    })
    const { facts: left } = reduceFact(known, facts.contactLost)
    expect(Object.keys(left).sort()).toEqual(['credentials', 'duplicate', 'registration', 'virtualCluster'])
  })

  it('include the kubeconfig that last reached the control plane, even while it does not answer', () => {
    expect(knowing(...whole, 'unreachable').facts.reachedWith).toBe('one')
    expect(isReachedWithCurrent(knowing(...whole, 'rotated').facts)).toBe(false)
    expect(isReachedWithCurrent(knowing(...whole, 'rotated', 'healthyAfterRotation').facts)).toBe(true)
    expect(isReachedWithCurrent(knowing(...whole, 'secretMissing').facts)).toBe(false)
  })

  it('include the last answer of the aggregated API', () =>
    expect(knowing('resolved', 'healthy', 'aggregatedDown').facts.aggregatedApi).toMatchObject({ ok: false }))
})

describe('the duplicate verdict', () => {
  const distinct = (...steps: Step[]) => isDistinct(knowing(...steps).facts)

  it.each<[string, Step[], boolean]>([
    ['is open before it was given', ['resolved', 'healthy'], false],
    ['is that no older instance has it', ['resolved', 'healthy', 'distinct'], true],
    ['is that one has', ['resolved', 'healthy', 'duplicate'], false],
    ['is open while the control plane does not answer', ['resolved', 'distinct', 'unreachable'], false],
    [
      'is taken back',
      ['resolved', 'healthy', 'distinct', { type: 'duplicate.observed', undecided: true }],
      false,
    ],
    ['holds for any control plane where none was known', ['resolved', 'distinct', 'healthy'], true],
    [
      'holds for no other control plane',
      ['resolved', 'healthy', 'distinct', 'rotated', 'anotherHealthy'],
      false,
    ],
    [
      'is for the control plane that answers now',
      ['resolved', 'healthy', 'rotated', 'anotherHealthy', 'distinct'],
      true,
    ],
  ])('%s', (_claim, steps, is) => expect(distinct(...steps)).toBe(is))

  it('for the control plane of an earlier process does not apply to another control plane', () => {
    const start = { status: { phase: 'Ready', controlPlaneID: 'cp-1' } } as const
    const swapped: Step[] = ['rotated', 'distinct', 'noVirtualCluster', 'anotherHealthy']
    expect(walked(start, ...swapped).work).toEqual([])
    expect(walked(start, ...swapped, 'distinct').work).toEqual(['ensure the virtual cluster'])
    expect(walked(start, 'resolved', 'distinct', 'noVirtualCluster', 'healthy').work).toEqual([
      'ensure the virtual cluster',
    ])
  })
})

describe('an assessment of an instance', () => {
  it.each<[string, FactName[], boolean]>([
    ['when every source has answered', [...reached], true],
    [
      'when its Secret cannot be used and the host was seen',
      ['secretMissing', 'noVirtualCluster', 'unregistered'],
      true,
    ],
    ['not before its Secret was read', ['noVirtualCluster', 'unregistered'], false],
    [
      'not before its control plane was probed',
      ['resolved', 'distinct', 'noVirtualCluster', 'unregistered'],
      false,
    ],
    [
      'not before it was compared with others',
      ['resolved', 'healthy', 'noVirtualCluster', 'unregistered'],
      false,
    ],
    [
      'without a comparison where its control plane does not answer',
      ['resolved', 'unreachable', 'noVirtualCluster', 'unregistered'],
      true,
    ],
    ['not before PediaClusters were seen', ['resolved', 'healthy', 'distinct', 'unregistered'], false],
    ['not before registrations were seen', ['resolved', 'healthy', 'distinct', 'noVirtualCluster'], false],
    [
      'while PediaClusters cannot be seen',
      ['resolved', 'healthy', 'distinct', 'hostLost', 'unregistered'],
      true,
    ],
    [
      'while registrations cannot be seen',
      ['resolved', 'healthy', 'distinct', 'noVirtualCluster', 'registrationsLost'],
      true,
    ],
  ])('%s', (_when, names, is) => expect(isAssessed(knowing(...names).facts)).toBe(is))
})

describe('a silent watch', () => {
  it('clears the facts that it provided, until it delivers again', () => {
    const lost = knowing(...whole, 'hostLost').facts
    expect(lost.virtualCluster).toBeUndefined()
    expect(lost.registration).toBeDefined()
    expect(lost.silence).toEqual({ virtualCluster: facts.hostLost.failure })
    const both = knowing(...whole, 'hostLost', 'registrationsLost').facts
    expect(Object.keys(both.silence ?? {})).toEqual(['virtualCluster', 'registration'])
    const back: Facts = knowing(...whole, 'hostLost', 'registrationsLost', 'hostBack').facts
    expect(back.silence).toEqual({ registration: facts.registrationsLost.failure })
    expect(back.virtualCluster).toBeUndefined()
  })
})
