import { isObject } from '../../apimachinery/json.js'

/** The resourceVersions of several clusters, in one: what karmada-search hands out and takes back. */
export interface ClusterVersions {
  /** '0': any version, of every cluster. */
  readonly isZero: boolean
  readonly of: ReadonlyMap<string, string>
}

/** Where a list goes on: in which cluster, with which token of that cluster ('' from its beginning), at which versions. */
export interface ClusterContinue {
  readonly versions: string
  readonly cluster: string
  readonly token: string
}

/** Unreadable text names no version, as with karmada-search: such a read is one without a version. */
export function readVersions(text: string): ClusterVersions {
  if (text === '0') return { isZero: true, of: new Map() }
  const value = decoded(text)
  const pairs = Object.entries(value ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return { isZero: false, of: new Map(pairs) }
}

/** The version of one cluster; '' where there is none. */
export const versionOf = ({ isZero, of }: ClusterVersions, cluster: string): string =>
  isZero ? '0' : (of.get(cluster) ?? '')

/** The version with that of one cluster replaced. */
export const withVersion = (
  { isZero, of }: ClusterVersions,
  cluster: string,
  version: string,
): ClusterVersions => ({ isZero: isZero && version === '0', of: new Map(of).set(cluster, version) })

/** Equal versions have equal texts: clients compare them. */
export function writeVersions({ isZero, of }: ClusterVersions): string {
  if (isZero) return '0'
  if (of.size === 0) return ''
  const sorted = [...of].sort(([one], [other]) => (one < other ? -1 : 1))
  return encoded(Object.fromEntries(sorted))
}

/** Unreadable text continues nothing: the list begins anew. */
export function readContinue(text: string): ClusterContinue {
  const { rv, cluster, continue: token } = decoded(text) ?? {}
  const string = (value: unknown) => (typeof value === 'string' ? value : '')
  return { versions: string(rv), cluster: string(cluster), token: string(token) }
}

/** '' where no cluster is left. */
export const writeContinue = ({ versions, cluster, token }: ClusterContinue): string =>
  cluster === '' ? '' : encoded({ rv: versions, cluster, ...(token !== '' && { continue: token }) })

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decoded(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The resourceVersion that a client sends back, as the cluster of the object knows it.
 * @returns undefined for a version that is not of several clusters
 */
export function recoveredVersion(text: string, cluster: string): string | undefined {
  const value = text === '' || text === '0' ? undefined : decoded(text)
  if (!value) return undefined
  const version = value[cluster]
  return typeof version === 'string' ? version : ''
}
