import type { JsonObject } from '../../apimachinery/json.js'
import { compareVersions } from '../../apiserver/catalogue/catalogue.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { IndexedType } from '../index/resource-index.js'
import { answer, pageNotFound } from './answers.js'
import type { ResourceRoute } from './route.js'

/**
 * Discovery of what is collected, so that kubectl works with `…/resources` or `…/resources/clusters/<c>` as its server. The
 * verbs tell what this index can do: `watch` is among them for one cluster only, because there is no version that all
 * clusters share.
 */
export function discovery(
  route: Exclude<ResourceRoute, { readonly to: 'resource' }>,
  types: readonly IndexedType[],
): ApiResponse {
  switch (route.to) {
    case 'versions':
      return answer(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: null })
    case 'groups':
      return answer(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: groupNames(types).map(of(types)) })
    case 'group': {
      if (!groupNames(types).includes(route.group)) return pageNotFound()
      return answer(200, { kind: 'APIGroup', apiVersion: 'v1', ...of(types)(route.group) })
    }
    case 'types':
      return resourceList(route.group, route.version, types, route.cluster !== undefined)
  }
}

const groupNames = (types: readonly IndexedType[]): string[] =>
  [...new Set(types.map(({ group }) => group))].filter(group => group !== '').sort()

const of =
  (types: readonly IndexedType[]) =>
  (group: string): JsonObject => {
    const versions = [...new Set(types.filter(type => type.group === group).map(({ version }) => version))]
      .sort(compareVersions)
      .map(version => ({ groupVersion: `${group}/${version}`, version }))
    return { name: group, versions, preferredVersion: versions[0] ?? null }
  }

function resourceList(
  group: string,
  version: string,
  types: readonly IndexedType[],
  watchable: boolean,
): ApiResponse {
  const served = types.filter(type => type.group === group && type.version === version)
  if (served.length === 0) return pageNotFound()
  return answer(200, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: served.map(({ resource, kind, namespaced }) => ({
      name: resource,
      singularName: '',
      namespaced,
      kind,
      verbs: watchable ? ['get', 'list', 'watch'] : ['get', 'list'],
    })),
  })
}
