import { describe, expect, it } from 'vitest'
import { adding, type Change, removing, setting, settingTexts } from '../../../console/forms/changes.js'
import { changed, dividing, formOf, weighing } from '../../../console/policies/policy-document.js'

const TEXT = `# who owns this: the shop team
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: shop
  namespace: shop
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
    name: web # the front
  placement:
    clusterAffinity:
      clusterNames:
      - north # near the users
      - south
  failover:
    # the form does not know this
    application:
      decisionConditions:
        tolerationSeconds: 30
  priority: 3 # above the platform's
`

const NAMES = ['spec', 'placement', 'clusterAffinity', 'clusterNames']
const of = (spec: string) =>
  `apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: shop}\n${spec}`
/** Each letter is nine of the one before. */
const BOMB = [...'bcdefghi'].reduce(
  (text, letter, index) => `${text}\n${letter}: &${letter} [${Array(9).fill(`*${'abcdefgh'[index]}`)}]`,
  'a: &a [x, x, x, x, x, x, x, x, x]',
)
const fieldsOf = (text: string) => {
  const view = formOf(text)
  if ('problem' in view) throw new Error(JSON.stringify(view.problem))
  return view.spec
}

describe('the form of a policy', () => {
  it('shows its fields', () => {
    expect(formOf(TEXT)).toMatchObject({
      name: 'shop',
      namespace: 'shop',
      spec: {
        selectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', hasLabels: false }],
        clusters: ['north', 'south'],
        division: 'duplicated',
        priority: 3,
      },
    })
  })

  it.each([
    ['that is no YAML', 'spec: [', { is: 'unread', line: 1 }],
    ['without a kind', 'apiVersion: v1', { is: 'otherKind' }],
    ['with several manifests', `${TEXT}---\n${TEXT}`, { is: 'several' }],
    ['that is empty', '', { is: 'empty' }],
    ['that is too long', `${TEXT}# ${'-'.repeat(1_000_000)}`, { is: 'long', most: 1_000_000 }],
    ['with a text in place of the spec', of('spec: everything'), { is: 'noMapping', path: 'spec' }],
    [
      'with a map in place of a list',
      of('spec: {resourceSelectors: {kind: Deployment}}'),
      { is: 'noList', path: 'spec.resourceSelectors' },
    ],
    [
      'with a text in a list of maps',
      of('spec: {overrideRules: [{overriders: {imageOverrider: [nginx]}}]}'),
      { is: 'noMapping', path: 'spec.overrideRules[0].overriders.imageOverrider[0]' },
    ],
    ['with a number as a key', of('spec: {1: one}'), { is: 'otherKeys', path: 'spec' }],
    ['with a key twice', of('spec: {}\nspec: {}'), { is: 'unread', line: 5 }],
    ['with an alias of nothing', of('spec: {placement: *nowhere}'), { is: 'aliases', name: 'nowhere' }],
    ['with aliases that grow into gigabytes', of(`spec: {}\n${BOMB}`), { is: 'aliases' }],
  ])('is replaced by a reason for a text %s, which stays unchanged', (_, text, why) => {
    expect(formOf(text)).toMatchObject({ problem: why })
    expect(changed(text, setting(['spec', 'priority'], 1))).toBe(text)
  })

  it.each<[string, string]>([
    ['numbers in place of names', 'spec: {placement: {clusterAffinity: {clusterNames: [1, 2]}}}'],
    ['no spec', ''],
  ])('ignores %s', (_, spec) => {
    const text = `apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata:\n  name: a\n${spec}\n`
    expect(fieldsOf(text)).toMatchObject({ selectors: [], clusters: [], priority: 0 })
  })
})

describe('a change in the form', () => {
  const lines = (text: string) => text.split('\n')

  it.each<[string, Change, string[], string[]]>([
    [
      'of a number',
      setting(['spec', 'priority'], 9),
      ["  priority: 3 # above the platform's"],
      ["  priority: 9 # above the platform's"],
    ],
    ['that takes a cluster away', settingTexts(NAMES, ['north']), ['      - south'], []],
    ['that adds a cluster', settingTexts(NAMES, ['north', 'south', 'west']), [], ['      - west']],
    [
      'that adds a selector',
      adding(['spec', 'resourceSelectors'], { apiVersion: 'v1', kind: 'Service' }),
      [],
      ['  - apiVersion: v1', '    kind: Service'],
    ],
    [
      'that removes the last value of a field, with the fields above it that are empty then',
      settingTexts(NAMES, []),
      [
        '  placement:',
        '    clusterAffinity:',
        '      clusterNames:',
        '      - north # near the users',
        '      - south',
      ],
      [],
    ],
    ['that switches something on', setting(['spec', 'propagateDeps'], true), [], ['  propagateDeps: true']],
    ['of what is not there', removing(['spec', 'preemption']), [], []],
  ])('%s changes only these lines: comments and unknown fields stay', (_, change, gone, come) => {
    const after = changed(TEXT, change)
    expect(lines(TEXT).filter(line => !lines(after).includes(line))).toEqual(gone)
    expect(lines(after).filter(line => !lines(TEXT).includes(line))).toEqual(come)
  })

  it.each(['duplicated', 'aggregated', 'dynamic', 'static'] as const)(
    'of the division of replicas to %s is read as that',
    division => {
      for (const before of ['duplicated', 'aggregated', 'dynamic', 'static'] as const)
        expect(fieldsOf(changed(TEXT, ...dividing(before), ...dividing(division))).division).toBe(division)
    },
  )

  it('changes the weight of a cluster in place, and adds a missing one', () => {
    const after = changed(
      TEXT,
      ...dividing('static'),
      weighing('north', 2),
      weighing('south', 1),
      weighing('north', 5),
    )
    expect(fieldsOf(after).weights).toEqual([
      { cluster: 'north', weight: 5 },
      { cluster: 'south', weight: 1 },
    ])
  })

  it('keeps the weights of clusters when the division changes to weights', () => {
    const weights = changed(TEXT, ...dividing('static'), weighing('north', 5))
    const both = changed(
      weights,
      setting(
        ['spec', 'placement', 'replicaScheduling', 'weightPreference', 'dynamicWeight'],
        'AvailableReplicas',
      ),
    )
    expect(fieldsOf(changed(both, ...dividing('static')))).toMatchObject({
      division: 'static',
      weights: [{ cluster: 'north', weight: 5 }],
    })
  })

  it('fills a field that is null', () => {
    const text =
      'apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata:\n  name: a\nspec:\n'
    expect(fieldsOf(changed(text, settingTexts(NAMES, ['north']))).clusters).toEqual(['north'])
  })
})
