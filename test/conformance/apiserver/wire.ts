import { gunzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { PATIENCE_MS } from '../../patience.js'

/** Who speaks to the API server under test; nobody in particular when all is absent. All material is PEM. */
export interface Identity {
  readonly clientCertificate?: string
  readonly clientKey?: string
  readonly token?: string
}

/** An answer as it stood on the wire. `body` is parsed where the server calls it JSON, else text. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: the suite asserts on bodies of every shape
  readonly body: any
}

/** What may accompany a request besides its method and path. */
export interface Extras {
  /** A value sent as JSON, or a string sent as it is. */
  readonly body?: unknown
  readonly type?: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** One event of a watch. */
export interface SeenEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: the suite asserts on objects of every shape
  readonly object: any
}

/** An open watch. */
export interface OpenWatch {
  /** The next event, or undefined when the server ended the watch. Fails after minutes of silence. */
  next(): Promise<SeenEvent | undefined>
  /** The next events, bookmarks left out. */
  take(count: number): Promise<SeenEvent[]>
  close(): void
}

const silenceMs = PATIENCE_MS

/** Speaks HTTP to one API server as one identity, hiding nothing: no retries, no defaults but JSON. */
export class Wire {
  private readonly agent: Agent

  constructor(
    private readonly url: string,
    ca: string,
    private readonly identity: Identity,
  ) {
    const { clientCertificate, clientKey } = identity
    this.agent = new Agent({
      connect: {
        ca,
        ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
        ...(clientKey === undefined ? {} : { key: clientKey }),
      },
      bodyTimeout: 0,
    })
  }

  async send(method: string, path: string, extras: Extras = {}): Promise<Answer> {
    const { body, type } = extras
    const response = await request(this.url + path, {
      dispatcher: this.agent,
      method: method as 'GET',
      headers: {
        ...this.headers(extras),
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      ...(extras.query === undefined ? {} : { query: extras.query }),
    })
    const raw = Buffer.from(await response.body.arrayBuffer())
    const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8')
    const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }

  get(path: string, query: Extras['query'] = {}, headers: Extras['headers'] = {}): Promise<Answer> {
    return this.send('GET', path, { query, headers })
  }

  post(path: string, body: unknown, query: Extras['query'] = {}): Promise<Answer> {
    return this.send('POST', path, { body, query })
  }

  put(path: string, body: unknown, query: Extras['query'] = {}): Promise<Answer> {
    return this.send('PUT', path, { body, query })
  }

  /** @param type which of the patch formats `body` is in, by the word in its media type */
  patch(
    path: string,
    type: 'json' | 'merge' | 'strategic-merge',
    body: unknown,
    query: Extras['query'] = {},
  ): Promise<Answer> {
    return this.send('PATCH', path, { body, type: `application/${type}-patch+json`, query })
  }

  /** Server-side apply. */
  apply(path: string, fieldManager: string, body: unknown, query: Extras['query'] = {}): Promise<Answer> {
    return this.send('PATCH', path, {
      body,
      type: 'application/apply-patch+yaml',
      query: { fieldManager, ...query },
    })
  }

  delete(path: string, body?: unknown, query: Extras['query'] = {}): Promise<Answer> {
    return this.send('DELETE', path, { body, query })
  }

  /** Opens a watch; the server must accept it. */
  async watch(
    path: string,
    query: Extras['query'] = {},
    headers: Extras['headers'] = {},
  ): Promise<OpenWatch> {
    const response = await request(this.url + path, {
      dispatcher: this.agent,
      headers: this.headers({ headers }),
      query: { watch: true, ...query },
    })
    if (response.statusCode !== 200)
      throw new Error(`watch ${path}: ${response.statusCode} ${await response.body.text()}`)
    // Closing the watch destroys the body, which reports itself as an error to whoever still reads.
    response.body.on('error', () => undefined)
    const events = lines(response.body)
    const next = async (): Promise<SeenEvent | undefined> => {
      let silence: NodeJS.Timeout | undefined
      const timeout = new Promise<never>((_, reject) => {
        silence = setTimeout(() => reject(new Error(`no event on ${path} within ${silenceMs} ms`)), silenceMs)
      })
      try {
        const { done, value } = await Promise.race([events.next(), timeout])
        return done ? undefined : (JSON.parse(value) as SeenEvent)
      } finally {
        clearTimeout(silence)
      }
    }
    const take = async (count: number): Promise<SeenEvent[]> => {
      const taken: SeenEvent[] = []
      while (taken.length < count) {
        const event = await next()
        if (event === undefined) throw new Error(`the watch ended after ${taken.length} of ${count} events`)
        if (event.type !== 'BOOKMARK') taken.push(event)
      }
      return taken
    }
    return { next, take, close: () => response.body.destroy() }
  }

  close(): Promise<void> {
    return this.agent.destroy()
  }

  private headers(extras: Extras): Record<string, string | string[]> {
    const { token } = this.identity
    return {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...extras.headers,
    }
  }
}

async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of body) {
    const parts = (rest + chunk.toString('utf8')).split('\n')
    rest = parts.pop() ?? ''
    yield* parts.filter(part => part !== '')
  }
}
