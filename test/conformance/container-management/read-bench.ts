import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { waitFor } from '../../patience.js'
import { type Answer, type Extras, Wire } from '../apiserver/wire.js'
import type { ReadTarget, SourceCluster } from './target.js'

/** A parsed JSON object of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: the suite builds and reads objects of every shape
export type Json = any

const pediaClusters = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters'
const readApi = '/apis/clusterpedia.io/v1beta1'

/** The types every PediaCluster of the suite syncs. */
export const syncResources = [
  { group: '', resources: ['configmaps'] },
  { group: 'apps', resources: ['deployments', 'replicasets'] },
]

/** What a check gets to work with: the host, two indexed clusters with trees of objects, and a namespace in both. */
export class ReadBench {
  readonly host: Wire
  readonly alice: Wire
  readonly sources: readonly [Wire, Wire]
  /** Names of the two PediaClusters. */
  readonly clusters: readonly [string, string]
  readonly namespace: string
  private readonly suffix = randomBytes(3).toString('hex')
  private counter = 0

  constructor(readonly target: ReadTarget) {
    this.host = new Wire(target.url, target.ca, target.administrator)
    this.alice = new Wire(target.url, target.ca, target.alice)
    const wire = ({ url, ca, administrator }: SourceCluster): Wire => new Wire(url, ca, administrator)
    this.sources = [wire(target.sources[0]), wire(target.sources[1])]
    this.clusters = [`one-${this.suffix}`, `two-${this.suffix}`]
    this.namespace = `index-${this.suffix}`
  }

  /** A name nothing else in this run has. */
  name(prefix = 'x'): string {
    this.counter += 1
    return `${prefix}-${this.suffix}-${this.counter}`
  }

  /** Reads below `…/resources` of the read API; namespaced paths want a group and version. */
  read(path: string, query: Extras['query'] = {}, headers: Extras['headers'] = {}): Promise<Answer> {
    return this.host.get(`${readApi}/resources${path}`, query, headers)
  }

  /** Reads `…/collectionresources`. */
  collection(path: string, query: Extras['query'] = {}): Promise<Answer> {
    return this.host.get(`${readApi}/collectionresources${path}`, query)
  }

  /** Deployments of this run over both clusters, or of one. */
  deployments(query: Extras['query'] = {}, cluster?: string): Promise<Answer> {
    const scope = cluster === undefined ? '' : `/clusters/${cluster}`
    return this.read(`${scope}/apis/apps/v1/namespaces/${this.namespace}/deployments`, {
      ...(cluster === undefined ? { clusters: this.clusters.join(',') } : {}),
      ...query,
    })
  }

  /** `cluster/name` of the deployments an answer lists, the run's suffix taken off the cluster. */
  listed({ status, body }: Answer): string[] {
    if (status !== 200) throw new Error(`expected a list, got ${status} ${JSON.stringify(body)}`)
    return body.items.map(
      ({ metadata }: Json) =>
        `${String(metadata.annotations?.['shadow.clusterpedia.io/cluster-name']).split('-')[0]}/${metadata.name}`,
    )
  }

  /** Creates a PediaCluster. */
  async pediaCluster(name: string, spec: Json): Promise<Json> {
    return ok(
      await this.host.post(pediaClusters, {
        apiVersion: 'cluster.clusterpedia.io/v1alpha2',
        kind: 'PediaCluster',
        metadata: { name },
        spec,
      }),
    )
  }

  /** One PediaCluster as it is now. */
  async pedia(name: string): Promise<Json> {
    return ok(await this.host.get(`${pediaClusters}/${name}`))
  }

  async patchPedia(name: string, patch: Json): Promise<Json> {
    return ok(await this.host.patch(`${pediaClusters}/${name}`, 'merge', patch))
  }

  async deletePedia(name: string): Promise<void> {
    await this.host.delete(`${pediaClusters}/${name}`)
    await eventually(async () => (await this.host.get(`${pediaClusters}/${name}`)).status === 404)
  }

  /** Waits for a condition of a PediaCluster and returns it. */
  async condition(name: string, type: string, status: string): Promise<Json> {
    let found: Json
    await eventually(async () => {
      found = (await this.pedia(name)).status?.conditions?.find((condition: Json) => condition.type === type)
      return found?.status === status
    })
    return found
  }

  /** The kubeconfig of a source as a PediaCluster carries it. */
  kubeconfig(source: 0 | 1): string {
    return Buffer.from(this.target.sources[source].kubeconfig).toString('base64')
  }

  async close(): Promise<void> {
    for (const name of this.clusters) await this.host.delete(`${pediaClusters}/${name}`)
    for (const source of this.sources) await source.delete(`/api/v1/namespaces/${this.namespace}`)
    await Promise.all([this.host, this.alice, ...this.sources].map(wire => wire.close()))
  }
}

/** The body of an answer that must be a success. */
export function ok({ status, body }: Answer): Json {
  if (status >= 300) throw new Error(`expected a success, got ${status} ${JSON.stringify(body)}`)
  return body
}

/** Polls what the index must come to show. @param condition may throw until then, when an answer lacks what it looks at */
export const eventually = (condition: () => Promise<boolean>): Promise<void> =>
  waitFor(async () => expect(await condition()).toBe(true))

/** One claim about Container Management. */
export interface ReadBehaviour {
  readonly claim: string
  readonly check: (bench: ReadBench) => Promise<void>
}

/** A row of a table. */
export function behaviour(claim: string, check: ReadBehaviour['check']): ReadBehaviour {
  return { claim, check }
}
