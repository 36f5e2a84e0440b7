import type { Instance } from '../../../manifests/instance.js'
import { type Status, StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'

/** Who the fake host's TokenReview knows, and what its SubjectAccessReview allows. */
export interface Knowledge {
  readonly tokens: Readonly<Record<string, { user: string; groups?: string[]; extra?: object; uid?: string }>>
  /** Answers a SubjectAccessReview's spec. */
  allows(spec: ReviewedSpec): boolean
}

/** The part of a SubjectAccessReview's spec that tests look at. */
export interface ReviewedSpec {
  readonly user: string
  readonly groups: readonly string[]
  readonly resourceAttributes?: {
    readonly verb: string
    readonly group: string
    readonly resource: string
    readonly subresource?: string
    readonly name?: string
  }
  readonly nonResourceAttributes?: { readonly verb: string; readonly path: string }
}

/** A host cluster in memory: reviews, Instances, and whatever else a test scripts. Records every request. */
export interface FakeHost extends KubeApi {
  readonly requests: KubeRequest[]
  readonly instances: Map<string, Instance>
  /** Answers before anything else does; undefined passes. */
  script: (request: KubeRequest) => unknown
}

/** A refusal as an API server words it. */
export function refusal(
  code: number,
  reason: string,
  message: string,
  details?: Status['details'],
): StatusError {
  return new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...(details ? { details } : {}),
  })
}

export function fakeHost(knowledge: Knowledge): FakeHost {
  let version = 100
  const host: FakeHost = {
    server: 'https://host.test:6443',
    requests: [],
    instances: new Map(),
    script: () => undefined,
    async request<T>(request: KubeRequest): Promise<T> {
      host.requests.push(request)
      request.signal?.throwIfAborted()
      const scripted = await host.script(request)
      return (scripted ?? answer(request)) as T
    },
    // biome-ignore lint/correctness/useYield: nothing in http/ watches the host
    async *watch() {
      throw new Error('not scripted')
    },
    close: async () => undefined,
  }

  function answer(request: KubeRequest): unknown {
    const body = request.body as { spec: unknown }
    if (request.path.endsWith('/tokenreviews')) return review(body.spec as { token: string })
    if (request.path.endsWith('/subjectaccessreviews')) {
      return { status: { allowed: knowledge.allows(body.spec as ReviewedSpec), reason: '' } }
    }
    const [, name] = /^\/apis\/kairship\.io\/v1alpha1\/instances(?:\/([^/]+))?$/.exec(request.path) ?? []
    if (name === undefined && request.method === 'POST')
      return createInstance(request.body as Instance, request.query?.dryRun === 'All')
    if (name !== undefined) return oneInstance(request, name)
    throw refusal(404, 'NotFound', `nothing scripted for ${request.method} ${request.path}`)
  }

  function review({ token }: { token: string }): unknown {
    const known = knowledge.tokens[token]
    if (!known) return { status: { authenticated: false } }
    const { user, groups = ['system:authenticated'], ...rest } = known
    return { status: { authenticated: true, user: { username: user, groups, ...rest } } }
  }

  function createInstance(instance: Instance, isTrial: boolean): Instance {
    const { name } = instance.metadata
    if (host.instances.has(name)) {
      throw refusal(409, 'AlreadyExists', `instances.kairship.io "${name}" already exists`)
    }
    const created = {
      ...instance,
      metadata: {
        ...instance.metadata,
        uid: `uid-${name}`,
        creationTimestamp: '2026-11-20T10:00:00Z',
        generation: 1,
      },
    }
    return isTrial ? created : store(created)
  }

  function oneInstance(request: KubeRequest, name: string): unknown {
    const current = host.instances.get(name)
    if (!current) throw refusal(404, 'NotFound', `instances.kairship.io "${name}" not found`)
    if (request.method === 'GET') return current
    if (request.method === 'PUT') {
      const next = request.body as Instance
      if (next.metadata.resourceVersion !== current.metadata.resourceVersion) {
        throw refusal(
          409,
          'Conflict',
          `the object has been modified; please apply your changes to the latest version`,
        )
      }
      return store(next)
    }
    if (request.method === 'PATCH') {
      const next = merged(current, request.body) as Instance
      return request.query?.dryRun === 'All' ? next : store(next)
    }
    return store({
      ...current,
      metadata: { ...current.metadata, deletionTimestamp: '2026-11-20T11:00:00Z' },
    })
  }

  function store(instance: Instance): Instance {
    version++
    const stored = { ...instance, metadata: { ...instance.metadata, resourceVersion: String(version) } }
    host.instances.set(instance.metadata.name, stored)
    return stored
  }

  return host
}

/** JSON merge patch. */
export function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  const result: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}
