import { randomBytes } from 'node:crypto'
import { PATIENCE_MS } from '../../patience.js'
import type { Target } from './target.js'
import { type Answer, Wire } from './wire.js'

/** A parsed JSON object of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: the suite builds and reads objects of every shape
export type Json = any

/** What a check gets to work with: the server, three callers, and a namespace of its own group. */
export class Bench {
  readonly admin: Wire
  readonly alice: Wire
  readonly anonymous: Wire
  readonly namespace: string
  private counter = 0
  private readonly suffix = randomBytes(3).toString('hex')

  constructor(
    readonly target: Target,
    group: string,
  ) {
    const wire = (identity: Target['administrator']): Wire => new Wire(target.url, target.ca, identity)
    this.admin = wire(target.administrator)
    this.alice = wire(target.alice)
    this.anonymous = wire({})
    this.namespace = `${group}-${this.suffix}`
  }

  /** Another caller of the same server. */
  as(identity: Target['administrator']): Wire {
    return new Wire(this.target.url, this.target.ca, identity)
  }

  /** A name nothing else in this run has. */
  name(prefix = 'x'): string {
    this.counter += 1
    return `${prefix}-${this.suffix}-${this.counter}`
  }

  /** Path of a core collection in this group's namespace, or of one object. */
  core(plural: string, name?: string): string {
    return `/api/v1/namespaces/${this.namespace}/${plural}${name === undefined ? '' : `/${name}`}`
  }

  /** Path of an apps/v1 collection in this group's namespace, or of one object. */
  apps(plural: string, name?: string): string {
    return `/apis/apps/v1/namespaces/${this.namespace}/${plural}${name === undefined ? '' : `/${name}`}`
  }

  /** Creates something that must succeed, and returns it. */
  async made(path: string, body: Json, query = {}): Promise<Json> {
    return this.ok(await this.admin.post(path, body, query))
  }

  /** A ConfigMap that exists. */
  async configMap(extra: Json = {}, name = this.name('cm')): Promise<Json> {
    return this.made(this.core('configmaps'), configMap(name, extra))
  }

  /** The body of an answer that must be a success. */
  ok({ status, body }: Answer): Json {
    if (status >= 300) throw new Error(`expected a success, got ${status} ${JSON.stringify(body)}`)
    return body
  }

  /** Polls until the answer has this status. */
  async until(path: string, status: number): Promise<Json> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
      const answer = await this.admin.get(path)
      if (answer.status === status) return answer.body
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    throw new Error(`${path} did not answer ${status} in time`)
  }

  async close(): Promise<void> {
    await Promise.all([this.admin, this.alice, this.anonymous].map(wire => wire.close()))
  }
}

/** One claim about how a Kubernetes API server behaves. */
export interface Behaviour {
  readonly claim: string
  readonly check: (bench: Bench) => Promise<void>
}

/** Behaviours that share a namespace and, where they need it, something set up once. */
export interface Group {
  /** Short, a DNS label: it names the namespace too. */
  readonly name: string
  readonly prepare?: (bench: Bench) => Promise<void>
  readonly behaviours: readonly Behaviour[]
}

/** A row of a table. */
export function behaviour(claim: string, check: Behaviour['check']): Behaviour {
  return { claim, check }
}

/** A ConfigMap as a client would send it. */
export function configMap(name: string, { metadata = {}, ...rest }: Json = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { a: '1' }, ...rest }
}

/** A Deployment as a client would send it. */
export function deployment(name: string, spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.test/main:1' }] },
      },
      ...spec,
    },
  }
}

/** The exact body of a failure. */
export function failure(code: number, reason: string, message: string, details?: Json): Json {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  }
}
