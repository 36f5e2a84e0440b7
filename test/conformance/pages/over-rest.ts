import type { ProxyClient } from '../../scenarios/support/proxy-client.js'
import type { WalkedWorld } from './walks.js'

/** Pages of the ConfigMaps of a namespace, by the management API. @param client of the API itself, and not of an instance's proxy */
export const pagesOver = (
  client: ProxyClient,
  { instance, namespace }: { readonly instance: string; readonly namespace: string },
): WalkedWorld['page'] => {
  const path = `/apis/kairship.io/v1alpha1/instances/${instance}/namespaces/${namespace}/configmaps`
  return async query => {
    const { status, headers, text } = await client.ask('GET', `${path}?${new URLSearchParams(query)}`)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    const { items = [], pagination } = JSON.parse(text) as {
      readonly items?: readonly { readonly metadata: { readonly name: string } }[]
      readonly pagination: { readonly total: number; readonly nextPageToken?: string }
    }
    return {
      names: items.map(({ metadata }) => metadata.name),
      total: pagination.total,
      source: String(headers['kairship-source']),
      ...(pagination.nextPageToken !== undefined && { next: pagination.nextPageToken }),
    }
  }
}
