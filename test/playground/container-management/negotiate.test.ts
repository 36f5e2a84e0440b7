import { describe, expect, it } from 'vitest'
import type { DiscoveredType } from '../../../playground/client/discovery.js'
import { negotiate } from '../../../playground/container-management/negotiate.js'
import type { GroupResources } from '../../../playground/container-management/pedia-cluster.js'

const watchable = ['create', 'get', 'list', 'watch']
const served = (
  group: string,
  version: string,
  resource: string,
  kind: string,
  verbs = watchable,
): DiscoveredType => ({
  group,
  version,
  resource,
  kind,
  namespaced: true,
  verbs,
})
const cluster = [
  served('', 'v1', 'configmaps', 'ConfigMap'),
  served('', 'v1', 'bindings', 'Binding', ['create']),
  served('apps', 'v1', 'deployments', 'Deployment'),
  served('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
  served('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
  served('work.karmada.io', 'v1alpha2', 'resourcebindings', 'ResourceBinding'),
  served('work.karmada.io', 'v1alpha1', 'resourcebindings', 'ResourceBinding'),
  served('work.karmada.io', 'v1alpha1', 'works', 'Work'),
]
const chosen = (...asked: readonly GroupResources[]) =>
  negotiate(asked, cluster).map(({ group, version, resource }) => `${group}/${version}/${resource}`)

describe('negotiation', () => {
  it.each([
    ['a type', { group: 'apps', resources: ['deployments'] }, ['apps/v1/deployments']],
    ['its singular in any case', { group: 'apps', resources: ['Deployment'] }, ['apps/v1/deployments']],
    ['a type the cluster lacks', { group: 'apps', resources: ['statefulsets'] }, []],
    ['a group the cluster lacks', { group: 'x.io', resources: ['*'] }, []],
    ['a type that cannot be watched', { group: '', resources: ['bindings'] }, []],
    [
      'a built-in type in a version it is not collected in',
      { group: 'autoscaling', versions: ['v1'], resources: ['horizontalpodautoscalers'] },
      ['autoscaling/v2/horizontalpodautoscalers'],
    ],
    [
      'a custom type without versions',
      { group: 'work.karmada.io', resources: ['resourcebindings'] },
      ['work.karmada.io/v1alpha2/resourcebindings', 'work.karmada.io/v1alpha1/resourcebindings'],
    ],
    [
      'a custom type in one version',
      { group: 'work.karmada.io', versions: ['v1alpha2'], resources: ['resourcebindings'] },
      ['work.karmada.io/v1alpha2/resourcebindings'],
    ],
    [
      'a whole group in one version',
      { group: 'work.karmada.io', versions: ['v1alpha1'], resources: ['*'] },
      ['work.karmada.io/v1alpha1/resourcebindings', 'work.karmada.io/v1alpha1/works'],
    ],
    [
      'a custom version that is not served',
      { group: 'work.karmada.io', versions: ['v9'], resources: ['works'] },
      [],
    ],
  ])('of %s', (_what, asked, expected) => expect(chosen(asked)).toEqual(expected))

  it('accepts two entries of one group, with each type once', () => {
    expect(
      chosen(
        { group: 'work.karmada.io', versions: ['v1alpha2'], resources: ['resourcebindings'] },
        { group: 'work.karmada.io', versions: ['v1alpha1'], resources: ['works'] },
        { group: 'work.karmada.io', versions: ['v1alpha2'], resources: ['resourcebindings', 'works'] },
      ),
    ).toEqual(['work.karmada.io/v1alpha2/resourcebindings', 'work.karmada.io/v1alpha1/works'])
  })
})
