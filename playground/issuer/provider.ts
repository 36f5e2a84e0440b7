import './node20.js'
import type { EventEmitter } from 'node:events'
import { raw } from 'hono/html'
import type Provider from 'oidc-provider'
import type { AdapterPayload, Configuration } from 'oidc-provider'
// Not the package's main file, which does no more than this one and writes to the terminal that Node.js 20 is too old for it.
// @ts-expect-error TS7016: it has no types under this path
import { Provider as UntypedProvider } from 'oidc-provider/lib/provider.js'
import type { Log } from '../../ports/log.js'
import { IssuerEntries } from './entries.js'
import type { KeptIssuer } from './kept-issuer.js'
import { CONSOLE_CLIENT, type ConsoleClient, LOGIN_CLIENT } from './login-client.js'
import { codePage, confirmPage, notePage, pagePolicy } from './pages.js'
import { ISSUER_PEOPLE } from './people.js'

/** How long each lasts, seconds. An ID token is short, so that a login which is ended is over soon. */
const LASTS = {
  idToken: 600,
  refreshToken: 14 * 86_400,
  session: 14 * 86_400,
  code: 60,
  deviceCode: 600,
} as const

/** What a provider is made of. */
export interface ProviderOptions {
  readonly url: string
  readonly kept: KeptIssuer
  /** Called when what is kept has changed. */
  readonly changed: () => void
  readonly log: Log
  /** The console that people sign in to; undefined while there is none. */
  readonly console: () => ConsoleClient | undefined
  /** How long an ID token is valid, seconds; ten minutes unless given. */
  readonly idTokenSeconds?: number | undefined
}

/** Where people sign in for one login. */
export const signInPath = (uid: string): string => `/sign-in/${uid}`

/** The certified OpenID provider, for a public client and the console's, with the users of `people.ts`. */
export function openIdProvider(options: ProviderOptions): Provider {
  const { url, kept, changed, log, idTokenSeconds } = options
  const entries = new IssuerEntries(kept, changed)
  const policy = () => pagePolicy(options.console()?.url)
  const configuration: Configuration = {
    // Where the console is becomes known later than the issuer is started.
    adapter: model => ({
      ...entries.adapter(model),
      ...(model === 'Client' && { find: async (id: string) => consoleClient(id, options.console()) }),
    }),
    jwks: { keys: [kept.key] },
    cookies: { keys: [kept.cookieKey] },
    clients: [
      {
        client_id: LOGIN_CLIENT.id,
        client_name: LOGIN_CLIENT.name,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        // Of a loopback address any port counts (RFC 8252, section 7.3).
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub', 'groups'] },
    conformIdTokenClaims: false,
    // A refresh token is good for one use. One that comes twice was stolen: then the whole login ends.
    rotateRefreshToken: true,
    pkce: { required: () => true },
    clientBasedCORS: () => false,
    ttl: {
      IdToken: idTokenSeconds ?? LASTS.idToken,
      AccessToken: idTokenSeconds ?? LASTS.idToken,
      RefreshToken: LASTS.refreshToken,
      Grant: LASTS.refreshToken,
      Session: LASTS.session,
      Interaction: LASTS.deviceCode,
      AuthorizationCode: LASTS.code,
      DeviceCode: LASTS.deviceCode,
    },
    findAccount: (_ctx, id) => {
      const person = ISSUER_PEOPLE.find(({ name }) => name === id)
      return person && { accountId: id, claims: () => ({ sub: id, groups: [...person.groups] }) }
    },
    // Both clients are Kairship's own: signing in is consent.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, account, provider } = oidc
      const accountId = account?.accountId ?? session?.accountId
      if (!client || !accountId) return undefined
      const grant = new provider.Grant({ clientId: client.clientId, accountId })
      grant.addOIDCScope('openid offline_access')
      grant.addOIDCClaims(['sub', 'groups'])
      await grant.save()
      return grant
    },
    interactions: { url: (_ctx, { uid }) => signInPath(uid) },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form, _out, error) => {
          ctx.set('content-security-policy', policy())
          ctx.body = codePage(raw(form), error !== undefined)
        },
        userCodeConfirmSource: (ctx, form, client, device, code) => {
          ctx.set('content-security-policy', policy())
          ctx.body = confirmPage({
            form: raw(form),
            code,
            client: client.clientName ?? client.clientId,
            address: String(device.ip ?? 'an unknown address'),
          })
        },
        successSource: ctx => {
          ctx.set('content-security-policy', policy())
          ctx.body = notePage('You are logged in', 'The device goes on by itself. You can close this page.')
        },
      },
    },
    renderError: (ctx, { error, error_description: words }) => {
      ctx.set('content-security-policy', policy())
      ctx.type = 'html'
      ctx.body = notePage('That did not work', `${error}${words ? `: ${words}` : ''}. Run the command again.`)
    },
  }
  const provider = new (UntypedProvider as typeof Provider)(url, configuration)
  // Koa would write what fails to the terminal.
  const koa: EventEmitter = provider
  koa.on('error', (error: unknown) => log.error({ err: error }, 'the issuer failed'))
  provider.on('server_error', (_ctx: unknown, error: unknown) =>
    log.error({ err: error }, 'the issuer failed'),
  )
  return provider
}

/** The console's client, as the provider stores clients. */
function consoleClient(id: string, console: ConsoleClient | undefined): AdapterPayload | undefined {
  if (id !== CONSOLE_CLIENT.id || !console) return undefined
  return {
    client_id: id,
    client_name: CONSOLE_CLIENT.name,
    application_type: 'web',
    ...(console.secret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret: console.secret, token_endpoint_auth_method: 'client_secret_basic' }),
    id_token_signed_response_alg: 'ES256',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [`${console.url}/console/sign-in/callback`],
  }
}
