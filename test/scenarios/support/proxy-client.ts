import { once } from 'node:events'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { expect } from 'vitest'

/** Where a client of the proxy is, and who. */
export interface ProxyAt {
  /** `https://host:port/…/instances/{instance}/proxy` */
  readonly server: string
  readonly ca: string
  readonly token: string
}

/** An answer that came whole. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A write whose body is still to be said. */
export interface Unfinished {
  /** Rejects when the connection breaks. */
  readonly answer: Promise<Answer>
  readonly sayTheRest: () => void
}

type Event = { readonly type: string; readonly object: { readonly metadata: Versioned } }
type Versioned = { readonly name: string; readonly resourceVersion: string }

/** A client that tries nothing twice, unlike those of Go: what comes of one request is what the proxy made of it. */
export class ProxyClient {
  readonly #agent: Agent

  constructor(readonly at: ProxyAt) {
    this.#agent = new Agent({ keepAlive: true, ca: at.ca })
  }

  begin(method: string, path: string, headers: Record<string, string> = {}): ClientRequest {
    const { server, token } = this.at
    return httpsRequest(server + path, {
      agent: this.#agent,
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
  }

  /** @throws what the system says when the connection breaks */
  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const request = this.begin(method, path, body && { 'content-type': 'application/json' })
    request.end(body && JSON.stringify(body))
    return answerTo(request)
  }

  /** Sends the head of a creation and waits until it is let in: under way, with the body still to be said. */
  async beginCreate(path: string, object: object): Promise<Unfinished> {
    const body = JSON.stringify(object)
    const request = this.begin('POST', path, {
      'content-type': 'application/json',
      expect: '100-continue',
      'content-length': String(Buffer.byteLength(body)),
    })
    const answer = answerTo(request)
    answer.catch(() => undefined) // looked at later
    request.flushHeaders()
    await once(request, 'continue')
    return { answer, sayTheRest: () => request.end(body) }
  }

  /** A watch from a version on, that is never begun anew. */
  async watch(path: string, resourceVersion: string): Promise<Watching> {
    const request = this.begin('GET', `${path}?watch=true&resourceVersion=${resourceVersion}`)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return new Watching(response)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** @throws what the system says when the connection breaks */
async function answerTo(request: ClientRequest): Promise<Answer> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

/** The events of one watch as they come, and how it ended. */
export class Watching {
  readonly events: Event[] = []
  /** What came after the last whole event. */
  rest = ''
  readonly ended: Promise<'whole' | 'broken'>
  isOver = false

  constructor(response: IncomingMessage) {
    response.on('error', () => undefined) // said by `ended`
    response.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.rest + text).split('\n')
      this.rest = lines.pop() ?? ''
      this.events.push(...lines.map(line => JSON.parse(line) as Event))
    })
    this.ended = new Promise(resolve =>
      response.once('close', () => {
        this.isOver = true
        resolve(response.complete ? 'whole' : 'broken')
      }),
    )
  }

  names(): string[] {
    return this.events.map(({ object }) => object.metadata.name)
  }

  get version(): string | undefined {
    return this.events.at(-1)?.object.metadata.resourceVersion
  }
}

/** What was answered was made once, and nothing was made twice. @param made the objects that there are at the end */
export function oncePerNumber(
  { done, unclear }: NumberedWrites,
  made: readonly { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } }[],
): void {
  const numbers = made.flatMap(({ metadata }) => metadata.labels?.number ?? []).map(Number)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
  expect([...done].filter(number => !numbers.includes(number))).toEqual([])
  expect(numbers.filter(number => !done.has(number) && !unclear.has(number))).toEqual([])
}

/** Creations that go on until told to end, each with a number of its own and sent once, and what came of each. */
export class NumberedWrites {
  /** Answered with 201. */
  readonly done = new Set<number>()
  /** Answered otherwise, or not at all. */
  readonly unclear = new Set<number>()
  #next = 0
  #ending = false
  readonly #lanes: Promise<void>[]

  /** @param path of ConfigMaps in a namespace */
  constructor(
    readonly client: ProxyClient,
    readonly path: string,
  ) {
    this.#lanes = Array.from({ length: 4 }, () => this.#lane())
  }

  async end(): Promise<void> {
    this.#ending = true
    await Promise.all(this.#lanes)
  }

  async #lane(): Promise<void> {
    while (!this.#ending) {
      const number = this.#next++
      // The name is the server's: sent twice it would be made twice.
      const body = { metadata: { generateName: 'numbered-', labels: { number: String(number) } } }
      const executed = await this.client.ask('POST', this.path, body).then(
        ({ status }) => status === 201,
        () => false,
      )
      const come = executed ? this.done : this.unclear
      come.add(number)
    }
  }
}
