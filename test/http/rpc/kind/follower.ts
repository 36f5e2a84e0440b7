import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { bindingOf } from '../../../../http/rpc/distribution/binding-of.js'
import { clusterFactsOf, distributionOf } from '../../../../http/rpc/distribution/distribution.js'
import { DISTRIBUTED } from '../../../../http/rpc/distribution/follow-distributed.js'
import { type Kind, kindHandlers, type ListMessage } from '../../../../http/rpc/kind/kind-handlers.js'
import type { Cluster } from '../../../../karmada/objects/cluster.js'
import type { Binding } from '../../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { aloneAnswers } from '../../fakes/answers.js'
import type { WatchedInstance } from '../../objects/watched-instance.js'

/** A template, which the list shows while it is good. */
export interface Template extends KubeObject {
  readonly data?: { readonly state: string }
}
interface Shown {
  readonly key: string
  readonly version: string
  readonly extra: unknown
}
const APPS = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true }
const isGood = ({ data }: Template) => data?.state === 'good'
const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`

const row = (isDistributed: boolean): Kind<Template, Shown, unknown> => ({
  type: APPS,
  message: (object, _, extra) => ({
    ...{ key: keyOf(object), version: object.metadata.resourceVersion ?? '', extra },
  }),
  ...(isDistributed && (DISTRIBUTED as object)),
})

/** What the list must show: its filter over the instance's objects. */
export function truth(instance: WatchedInstance, isDistributed: boolean): Map<string, Shown> {
  const at = <T extends KubeObject>(resource: string) =>
    instance.at(instance.revision, resource) as Map<string, T>
  const bindings = at<Binding>('resourcebindings')
  const clusters = new Map(
    [...at<Cluster>('clusters')].map(([, one]) => [one.metadata.name, clusterFactsOf(one)]),
  )
  const wanted = [...at<Template>('deployments').values()].filter(
    one => isGood(one) && one.metadata.labels?.app === 'x',
  )
  return new Map(
    wanted.map(one => {
      const typed = { ...one, kind: 'Deployment', apiVersion: 'apps/v1' }
      const extra = isDistributed ? distributionOf(bindingOf(typed, bindings), clusters) : undefined
      return [keyOf(one), { key: keyOf(one), version: one.metadata.resourceVersion ?? '', extra }]
    }),
  )
}

/** Every state that a token names: its version, and the digest of what the list showed. */
const statesOf = (token: string): [string, string][] =>
  (
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as [string, [string, string][]]
  )[1]
/** A token with another content. */
export const changed = (token: string, change: (content: [string, ([string, string] | null)[]]) => void) => {
  const [form = '', text = ''] = token.split('.')
  const content = JSON.parse(Buffer.from(text, 'base64url').toString())
  change(content)
  return `${form}.${Buffer.from(JSON.stringify(content)).toString('base64url')}`
}

/** A client that folds what it receives, and goes on with its last token when its stream is over. */
export class Follower {
  items = new Map<string, Shown>()
  token = ''
  received: string[] = []
  resets = 0
  user = 'ann'
  filter: { labelSelector?: string } = { labelSelector: 'app=x' }
  #stream: AsyncIterator<ListMessage<Shown>> | undefined
  #gone = new AbortController()
  /** Received since the last token: what may come again. */
  #again = new Set<string>()
  #isWhole = false

  constructor(
    readonly instance: WatchedInstance,
    readonly isDistributed: boolean,
  ) {}

  async hangUp(): Promise<void> {
    const stream = this.#stream
    this.#stream = undefined
    this.#gone.abort(new Error('hung up'))
    await stream?.return?.()
  }

  #open(): AsyncIterator<ListMessage<Shown>> {
    this.#gone = new AbortController()
    const caller = { user: this.user, groups: [], extra: {} }
    const signal = this.#gone.signal
    const call = { caller, signal, answered: () => undefined, answers: aloneAnswers(true) } as unknown as Call
    const request = { instance: 'i', ...this.filter, resumeToken: this.token }
    const of = kindHandlers(this.instance.objects(), row(this.isDistributed))
    return of.watch(request, call, { where: isGood })[Symbol.asyncIterator]()
  }

  async next(): Promise<ListMessage<Shown>> {
    this.#stream ??= this.#open()
    try {
      const { value, done } = await this.#stream.next()
      if (done) throw new Error('it ended')
      this.#fold(value)
      return value
    } catch (error) {
      if (!/refused|reset|too many|ends its watches|broke/.test(String(error))) throw error
      this.#stream = undefined
      return this.next()
    }
  }

  #fold({ type, total, message, resumeToken }: ListMessage<Shown>): void {
    this.received.push(`${Type[type]} ${message?.key ?? ''}`.trim())
    const { items } = this
    if (type === Type.RESET) {
      this.resets += 1
      this.#isWhole = false
      this.#again = new Set()
      this.token = ''
      items.clear()
    } else if (type === Type.BOOKMARK) {
      this.#isWhole = true
      this.instance.received()
      expect(total).toBe(items.size)
    } else if (message) {
      const { key } = message
      const mayRepeat = this.#again.has(key)
      if (!mayRepeat) {
        expect(items.has(key)).toBe(type !== Type.ADDED)
        if (type === Type.MODIFIED) expect(isDeepStrictEqual(items.get(key), message)).toBe(false)
      }
      if (type === Type.ADDED || type === Type.MODIFIED) items.set(key, message)
      else items.delete(key)
      if (this.#again.size === 0) expect(total).toBe(items.size)
      if (this.#isWhole && resumeToken === '') this.#again.add(key)
    }
    if (resumeToken !== '') {
      this.token = resumeToken
      this.#again = new Set()
    }
  }

  /** Reads until it has received everything. */
  async settle(): Promise<void> {
    const now = String(this.instance.revision)
    for (;;) {
      this.instance.bookmark()
      // Lists that start over are read in turns of the event loop.
      await new Promise(setImmediate)
      const { type } = await this.next()
      if (type === Type.BOOKMARK && statesOf(this.token).every(([version]) => version === now)) return
    }
  }
}
