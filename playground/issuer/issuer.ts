import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Log } from '../../ports/log.js'
import { type KeptIssuer, keepIssuer, readIssuer } from './kept-issuer.js'
import { CONSOLE_CLIENT, type ConsoleClient, clientName, LOGIN_CLIENT } from './login-client.js'
import { notePage, pagePolicy, signInPage } from './pages.js'
import { ISSUER_PEOPLE, NAME_PREFIX } from './people.js'

/** Bytes of a form: a name and a password. */
const MOST_BYTES = 4_096

/** How a playground's issuer is started. */
export interface PlaygroundIssuerOptions {
  /** PEM of its certificate for 127.0.0.1, of the key, and of the authority that vouches for it. */
  readonly tls: {
    readonly certificate: string
    readonly key: string
    readonly certificateAuthority?: string | undefined
  }
  readonly log: Log
  /** Where it keeps its keys, its port and its logins; in memory when absent. */
  readonly dataDir?: string | undefined
  /** How long an ID token is valid, seconds; ten minutes unless given. */
  readonly idTokenSeconds?: number
}

/** A running issuer. */
export interface PlaygroundIssuer {
  /** Its name, and where it is: `https://127.0.0.1:…`. */
  readonly url: string
  /** What all its users type. */
  readonly password: string
  /** Grants of refresh tokens that were asked for, whatever came of them. */
  readonly refreshes: number
  /** An AuthenticationConfiguration by which a Kairship accepts its tokens. */
  authenticationConfiguration(): string
  /** Lets people sign in to a console. */
  serve(console: ConsoleClient): void
  close(): Promise<void>
}

/**
 * Starts an OpenID Connect issuer on 127.0.0.1 over TLS. The provider itself is loaded by the first request that needs it, a quarter of a
 * second of CPU: starting a playground needs only its keys.
 */
export async function startPlaygroundIssuer(options: PlaygroundIssuerOptions): Promise<PlaygroundIssuer> {
  const kept = await readIssuer(options.dataDir)
  const issuer = new RunningIssuer(options, kept)
  await issuer.listen()
  return issuer
}

class RunningIssuer implements PlaygroundIssuer {
  url = ''
  refreshes = 0
  readonly #server: Server
  #loading: Promise<Provider> | undefined
  #console: ConsoleClient | undefined

  constructor(
    private readonly options: PlaygroundIssuerOptions,
    private readonly kept: KeptIssuer,
  ) {
    const { certificate, key } = options.tls
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      this.#answer(request, response).catch(error => {
        options.log.error({ err: error }, 'the issuer failed')
        if (response.headersSent) response.destroy()
        else
          this.#send(
            response,
            500,
            notePage('That did not work', 'The issuer failed. Run the command again.'),
          )
      })
    })
  }

  get password(): string {
    return this.kept.password
  }

  async listen(): Promise<void> {
    const { kept, options } = this
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(kept.port ?? 0, '127.0.0.1', resolve)
    })
    const address = this.#server.address()
    kept.port = typeof address === 'object' && address !== null ? address.port : 0
    this.url = `https://127.0.0.1:${kept.port}`
    keepIssuer(options.dataDir, kept)
  }

  authenticationConfiguration(): string {
    const { certificateAuthority } = this.options.tls
    const prefixed = (claim: string) => ({ claim, prefix: NAME_PREFIX })
    return `${JSON.stringify(
      {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        jwt: [
          {
            issuer: {
              url: this.url,
              // The keys alone: they are read at once, and the issuer's own document needs the whole provider.
              discoveryURL: `${this.url}${KEYS_PATH}`,
              audiences: [LOGIN_CLIENT.id, CONSOLE_CLIENT.id],
              audienceMatchPolicy: 'MatchAny',
              ...(certificateAuthority !== undefined && { certificateAuthority }),
            },
            claimMappings: { username: prefixed('sub'), groups: prefixed('groups') },
          },
        ],
      },
      null,
      2,
    )}\n`
  }

  serve(console: ConsoleClient): void {
    this.#console = console
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url)
    const document = this.#documents()[pathname]
    if (document) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      return
    }
    const provider = await this.#provider()
    const [, uid] = /^\/sign-in\/([\w-]+)$/.exec(pathname) ?? []
    if (uid === undefined) await provider.callback()(request, response)
    else await this.#signIn(provider, request, response)
  }

  /** What Kairship reads of an issuer: its name, and its public key. */
  #documents(): Readonly<Record<string, object>> {
    const { d: _, ...published } = this.kept.key
    return {
      [KEYS_PATH]: { issuer: this.url, jwks_uri: `${this.url}${KEYS_PATH}/jwks` },
      [`${KEYS_PATH}/jwks`]: { keys: [published] },
    }
  }

  #provider(): Promise<Provider> {
    this.#loading ??= import('./provider.js').then(({ openIdProvider }) => {
      const { kept } = this
      const { log, dataDir, idTokenSeconds } = this.options
      const changed = () => keepIssuer(dataDir, kept)
      const provider = openIdProvider({
        url: this.url,
        kept,
        changed,
        log,
        idTokenSeconds,
        console: () => this.#console,
      })
      const counted = ({ oidc }: KoaContextWithOIDC) => {
        if (oidc.params?.grant_type === 'refresh_token') this.refreshes++
      }
      provider.on('grant.success', counted)
      provider.on('grant.error', counted)
      return provider
    })
    return this.#loading
  }

  async #signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    let interaction: Awaited<ReturnType<Provider['interactionDetails']>>
    try {
      interaction = await provider.interactionDetails(request, response)
    } catch {
      this.#send(
        response,
        400,
        notePage(
          'This login is over',
          'It took too long, or began in another browser. Run the command again.',
        ),
      )
      return
    }
    const { prompt, session, params } = interaction
    const current = prompt.name === 'login' ? undefined : session?.accountId
    const show = (status: number, problem?: string) => {
      const client = clientName(params.client_id)
      this.#send(
        response,
        status,
        signInPage({ action: request.url ?? '', client, people: ISSUER_PEOPLE, current, problem }),
      )
    }
    if (request.method !== 'POST') return show(200)
    const form = await formOf(request)
    if (!form) return show(413, 'That was too much: type a name and the password.')
    const finish = (result: object) =>
      provider.interactionFinished(
        request,
        response,
        { consent: {}, ...result },
        { mergeWithLastSubmission: false },
      )
    if (form.get('again') === 'yes' && current !== undefined) return finish({})
    const person = ISSUER_PEOPLE.find(({ name }) => name === form.get('name'))
    if (!person || !isSame(form.get('password') ?? '', this.kept.password))
      return show(401, 'That is not the password that the terminal of the playground shows.')
    return finish({ login: { accountId: person.name } })
  }

  #send(response: ServerResponse, status: number, page: string): void {
    response
      .writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': pagePolicy(this.#console?.url),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .end(page)
  }
}

const KEYS_PATH = '/keys'

async function formOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > MOST_BYTES) return undefined
  }
  return new URLSearchParams(text)
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
