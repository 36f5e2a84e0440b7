import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  type ImageRegistry,
  isRepositoryName,
  isTag,
  type RegistryImage,
  type RegistryVisit,
} from '../../ports/image-registry.js'
import { ServiceError } from '../../ports/service-error.js'
import type { OutboundAnswer } from '../outbound/endpoint.js'
import type { RegistryEntry } from './registries-file.js'
import { RegistryRequests, type RequestBounds } from './registry-requests.js'
import { credentialRefused, jsonOf } from './registry-tokens.js'

/** How much one visit may read. */
export interface VisitBounds extends RequestBounds {
  readonly requests?: number
  readonly pages?: number
}

/** Requests of one visit: an answer takes a minute at most. */
const MOST_REQUESTS = 5_000
/** Pages of one list. */
const MOST_PAGES = 100
/** Names of one page: the most that Docker's registry gives. */
const PAGE = 1_000
/** A thousand of the longest names, and more. */
const MOST_PAGE_BYTES = 1 << 20
/** The distribution spec's least that registries must accept; more is refused by most. */
const MOST_MANIFEST_BYTES = 4 << 20

const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const
const INDEXES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
] as const
const DIGEST = /^sha256:[0-9a-f]{64}$/
const KNOWN: ReadonlySet<string> = new Set([...MANIFESTS, ...INDEXES])

/** `null` for none, as Go writes it. */
const names = z.array(z.string()).nullable()
const size = z.int().min(0)
const manifest = z.object({ config: z.object({ size }), layers: z.array(z.object({ size })) })

/** An image registry with the API of the OCI distribution spec, `/v2/`, and Docker's catalog. */
export class Registry implements ImageRegistry {
  readonly name: string
  readonly alias: string
  readonly host: string
  readonly workspaceId?: number
  readonly isPublic: boolean
  readonly #requests: RegistryRequests
  readonly #bounds: VisitBounds

  constructor(entry: RegistryEntry, bounds: VisitBounds = {}) {
    const { name, alias, host, workspaceId, credentialsFile } = entry
    this.name = name
    this.alias = alias
    this.host = host
    if (workspaceId !== undefined) this.workspaceId = workspaceId
    this.isPublic = credentialsFile === undefined
    this.#requests = new RegistryRequests(entry, bounds)
    this.#bounds = bounds
  }

  /** Reads its files now. @throws ServiceSettingError */
  async prepare(): Promise<this> {
    await this.#requests.prepare()
    return this
  }

  visit(signal: AbortSignal): RegistryVisit {
    return new Visit(this.name, this.#requests, this.#bounds, signal)
  }

  close(): Promise<void> {
    return this.#requests.close()
  }
}

class Visit implements RegistryVisit {
  #left: number

  constructor(
    private readonly registry: string,
    private readonly requests: RegistryRequests,
    private readonly bounds: VisitBounds,
    private readonly signal: AbortSignal,
  ) {
    this.#left = bounds.requests ?? MOST_REQUESTS
  }

  async repositories(): Promise<readonly string[]> {
    const found = await this.#pages('/v2/_catalog', 'registry:catalog:*', 'repositories', isRepositoryName)
    if (found) return found
    throw new ServiceError(
      'unmet',
      `registry ${this.registry} does not list its repositories: /v2/_catalog is not served`,
      'NoCatalog',
    )
  }

  async tags(repository: string): Promise<readonly string[]> {
    const scope = `repository:${repository}:pull`
    const found = await this.#pages(`/v2/${checked(repository)}/tags/list`, scope, 'tags', isTag)
    if (found) return found
    throw new ServiceError(
      'notFound',
      `registry ${this.registry} has no repository ${repository}`,
      'NotFound',
    )
  }

  async image(repository: string, tag: string): Promise<RegistryImage | undefined> {
    if (!isTag(tag)) throw new Error(`${JSON.stringify(tag)} is no tag`)
    const answer = await this.#get(
      `/v2/${checked(repository)}/manifests/${tag}`,
      `repository:${repository}:pull`,
      [...MANIFESTS, ...INDEXES].join(', '),
      MOST_MANIFEST_BYTES,
    )
    if (answer.status === 404) return undefined
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] ?? ''
    return { digest: this.#digest(answer, type), size: this.#size(answer, type) }
  }

  /** All names of a paged list, each once; undefined where there is no such list. */
  async #pages(
    path: string,
    scope: string,
    field: 'repositories' | 'tags',
    isName: (name: string) => boolean,
  ): Promise<readonly string[] | undefined> {
    const found = new Set<string>()
    const asked = new Set<string>()
    const most = this.bounds.pages ?? MOST_PAGES
    for (let query: string | undefined = `?n=${PAGE}`; query !== undefined; ) {
      if (asked.has(query)) throw this.#wrong(`names the page ${JSON.stringify(query)} of ${path} twice`)
      if (asked.size >= most) throw this.#tooMuch(`${path} has more than ${most} pages`)
      asked.add(query)
      const answer = await this.#get(path + query, scope, 'application/json', MOST_PAGE_BYTES)
      if (answer.status === 404) return undefined
      const page = names.safeParse((jsonOf(answer.body) as Record<string, unknown> | undefined)?.[field])
      if (!page.success) throw this.#wrong(`answers ${path} with a page that has no ${field}`)
      // What no client could pull is not shown.
      for (const name of page.data ?? []) if (isName(name)) found.add(name)
      query = this.#next(answer.headers.link, path)
    }
    return [...found].sort()
  }

  /** The query of the next page, by the header Link. It may lead to no other list, and to no other host. */
  #next(link: string | string[] | undefined, path: string): string | undefined {
    const [, to] = /<([^<>]*)>\s*;[^,]*\brel="?next"?/i.exec([link ?? []].flat().join(', ')) ?? []
    if (to === undefined) return undefined
    const here = new URL(path, 'https://registry.invalid')
    const url = URL.canParse(to, here.href) ? new URL(to, here) : undefined
    // Registries behind a proxy write the host that they know themselves by: only the list counts.
    if (url?.pathname !== here.pathname || url.search === '')
      throw this.#wrong(`continues ${path} at ${JSON.stringify(to.slice(0, 200))}`)
    return url.search
  }

  async #get(path: string, scope: string, accept: string, maxBytes: number): Promise<OutboundAnswer> {
    if (this.#left <= 0)
      throw this.#tooMuch(`more than ${this.bounds.requests ?? MOST_REQUESTS} requests are needed`)
    this.#left -= 1
    const answer = await this.requests.get({ path, scope, accept, maxBytes, signal: this.signal })
    const { status } = answer
    if (status === 200 || status === 404) return answer
    if (status === 403) throw credentialRefused(this.registry, true)
    if (status === 429)
      throw new ServiceError(
        'busy',
        `registry ${this.registry} has too many requests: try again later`,
        'RegistryBusy',
      )
    if (status >= 500)
      throw new ServiceError(
        'unavailable',
        `registry ${this.registry} answered ${status}: try again in a moment`,
        'RegistryUnavailable',
      )
    if (status >= 300 && status < 400)
      throw new ServiceError(
        'gateway',
        `registry ${this.registry} redirects ${path.split('?')[0]}, which is not followed: is its url in registriesFile right?`,
        'RegistryRedirects',
      )
    throw this.#wrong(`answered ${status} to ${path.split('?')[0]}`)
  }

  /** That of the bytes: what is pulled by it is what was seen. */
  #digest({ body, headers }: OutboundAnswer, type: string): string {
    const own = `sha256:${createHash('sha256').update(body).digest('hex')}`
    const said = String(headers['docker-content-digest'] ?? '')
    if (said === '' || said === own) return own
    // A signed manifest of Docker's first schema has the digest of a part of it.
    if (!KNOWN.has(type) && DIGEST.test(said)) return said
    throw this.#wrong('sends manifests that do not have the digests that it says')
  }

  #size({ body }: OutboundAnswer, type: string): number {
    if (!MANIFESTS.some(known => known === type)) return 0
    const { success, data } = manifest.safeParse(jsonOf(body))
    if (!success) throw this.#wrong('sends a manifest without sizes')
    return data.layers.reduce((sum, layer) => sum + layer.size, data.config.size)
  }

  #tooMuch(what: string): ServiceError {
    return new ServiceError(
      'unmet',
      `registry ${this.registry} holds too much for one call (${what}): ask for a page of fewer repositories`,
      'RegistryTooLarge',
    )
  }

  #wrong(what: string): ServiceError {
    return new ServiceError('gateway', `registry ${this.registry} ${what}`, 'NoRegistry')
  }
}

/** A name that is safe in a path; callers check theirs before, with words for people. */
function checked(repository: string): string {
  if (!isRepositoryName(repository)) throw new Error(`${JSON.stringify(repository)} is no repository name`)
  return repository
}
