import { z } from 'zod'
import { deliveredBinding, sequence } from '../../manifests/delivered-binding.js'
import { hasMoreValues } from '../../ports/json-values.js'
import { authorizationOf, CredentialFile } from '../outbound/credential.js'
import { Endpoint } from '../outbound/endpoint.js'
import { FreshFile } from '../outbound/fresh-file.js'

/** Bindings asked for in one page. */
const PAGE = 500
/** Bindings of a whole list at most, as a bound of time and memory. */
const MOST_BINDINGS = 100_000
/** Bytes of one page: 500 bindings of 20 KiB. */
const MOST_PAGE_BYTES = 10 * 2 ** 20
/**
 * Bytes of a whole list at most, in JSON: 100,000 bindings of 600 bytes and some. In memory it takes several times that, in the process that
 * leads the fleet.
 */
const MOST_BYTES = 64 * 2 ** 20
/**
 * Values of one page: more than 500 bindings can have, of 256 subjects and 256 namespaces each. What JSON costs is its values: a page of 10 MiB of
 * brackets took 7 s and 0.7 GB.
 */
const MOST_PAGE_VALUES = PAGE * 1_600
/** Characters of what is quoted of a page in a message, which ends up in the log. */
const LONGEST_QUOTE = 300
/** Milliseconds for one page. */
const PAGE_TIMEOUT_MS = 30_000

const pageOf = z.strictObject({
  /** The newest event that the list knows of. */
  sequence,
  /** How many bindings the whole list has. */
  total: z.number().int().min(0).max(MOST_BINDINGS),
  items: z.array(z.strictObject({ sequence, binding: deliveredBinding })).max(PAGE),
  /** What to ask the next page with; absent on the last one. */
  continue: z.string().min(1).max(1_024).optional(),
})

/** One binding of the list, and the sequence of its last change. */
export type ListedBinding = z.infer<typeof pageOf>['items'][number]

/** The whole list at one moment. */
export interface WholeList {
  readonly sequence: number
  readonly items: readonly ListedBinding[]
}

/** The settings of the list, by the names of `config.ts`. */
export interface BindingListSettings {
  readonly roleBindingsUrl: string | undefined
  readonly roleBindingsCaFile: string | undefined
  readonly roleBindingsCredentialsFile: string | undefined
}

/** Global Management's list of all role bindings, in pages. */
export class BindingList {
  readonly #endpoint: Endpoint
  readonly #credential: CredentialFile | undefined
  readonly #path: string

  /** @param mostBytes of a whole list */
  constructor(
    url: string,
    {
      roleBindingsCaFile: ca,
      roleBindingsCredentialsFile: credentials,
    }: Omit<BindingListSettings, 'roleBindingsUrl'>,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.#endpoint = new Endpoint({
      name: 'Global Management',
      url,
      sockets: 1,
      timeoutMs: PAGE_TIMEOUT_MS,
      ...(ca !== undefined && { ca: new FreshFile(ca, 'roleBindingsCaFile') }),
    })
    this.#path = new URL(url).pathname === '/' ? '/' : ''
    this.#credential =
      credentials === undefined ? undefined : new CredentialFile(credentials, 'roleBindingsCredentialsFile')
  }

  /** Reads the files of the settings now. @throws ServiceSettingError for one that cannot be used */
  async prepare(): Promise<this> {
    await this.#endpoint.prepare()
    await this.#credential?.current()
    return this
  }

  /**
   * Reads the whole list. It is one only if every page says the same sequence and total, no name comes twice, and there are as many as the
   * total says: from a part of a list rights would be taken that are still given.
   * @throws IncompleteListError for a page that is none, or does not fit the others; ServiceError for one that does not come
   */
  async whole(signal: AbortSignal): Promise<WholeList> {
    const items: ListedBinding[] = []
    let first: { readonly sequence: number; readonly total: number } | undefined
    let next: string | undefined
    let bytes = 0
    do {
      const { page, size } = await this.#page(next, signal)
      bytes += size
      if (bytes > this.mostBytes)
        throw incomplete(`it has more than ${this.mostBytes} bytes, the most that is read`)
      first ??= page
      if (page.sequence !== first.sequence || page.total !== first.total)
        throw incomplete('the list changed while its pages were read')
      items.push(...page.items)
      if (items.length > first.total) throw incomplete(`it has more bindings than its total, ${first.total}`)
      if (page.items.length === 0 && page.continue !== undefined)
        throw incomplete('a page is empty, and is not the last one')
      next = page.continue
    } while (next !== undefined)
    if (items.length !== first.total)
      throw incomplete(`it has ${items.length} bindings, and its total is ${first.total}`)
    const names = new Set(items.map(({ binding }) => `${'workspace' in binding}/${binding.name}`))
    if (names.size !== items.length) throw incomplete('a binding comes twice')
    if (items.some(item => item.sequence > (first?.sequence ?? 0)))
      throw incomplete('a binding has a sequence beyond that of the list')
    return { sequence: first.sequence, items }
  }

  close(): Promise<void> {
    return this.#endpoint.close()
  }

  async #page(
    next: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly page: z.infer<typeof pageOf>; readonly size: number }> {
    const credential = await this.#credential?.current()
    const query = new URLSearchParams({ limit: `${PAGE}`, ...(next !== undefined && { continue: next }) })
    const { status, body } = await this.#endpoint.send({
      method: 'GET',
      path: `${this.#path}?${query}`,
      headers: {
        accept: 'application/json',
        ...(credential && { authorization: authorizationOf(credential) }),
      },
      maxBytes: MOST_PAGE_BYTES,
      signal,
    })
    if (status === 401 || status === 403) this.#credential?.refused()
    if (status !== 200) throw incomplete(`it answers with status ${status}`)
    const text = body.toString('utf8')
    if (hasMoreValues(text, MOST_PAGE_VALUES))
      throw incomplete(`a page has more than ${MOST_PAGE_VALUES} values, the most that is read`)
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      throw incomplete('it answers with something else than JSON')
    }
    const { success, data, error } = pageOf.safeParse(json)
    if (success) return { page: data, size: body.length }
    const [issue] = error.issues
    const message = issue?.message.slice(0, LONGEST_QUOTE)
    throw incomplete(`${issue?.path.join('.') || 'the page'}: ${message}`)
  }
}

/** A list that does not prove that it is whole, or is none. */
export class IncompleteListError extends Error {
  override readonly name = 'IncompleteListError'
}

const incomplete = (why: string): IncompleteListError =>
  new IncompleteListError(`the list of role bindings of Global Management cannot be used: ${why}`)

/**
 * The list that the settings name; undefined where they name none. Nothing is sent to it yet.
 * @throws ServiceSettingError for a file that cannot be used
 */
export async function bindingListOf({
  roleBindingsUrl: url,
  ...files
}: BindingListSettings): Promise<BindingList | undefined> {
  return url === undefined ? undefined : new BindingList(url, files).prepare()
}
