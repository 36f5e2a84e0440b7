import * as openid from 'openid-client'
import { CommandError, ExitCode } from '../exit-code.js'
import { type Granted, grantedBy, type IssuerClient, ofIssuer } from './issuer-client.js'
import { openLoopback } from './loopback.js'

/** What a flow shows and does on this machine. */
export interface FlowContext {
  readonly err: (text: string) => void
  /** Opens the user's browser. @returns whether one was started */
  readonly open: (url: URL) => Promise<boolean>
  readonly signal: AbortSignal
  /** What the issuer is to ask in any case, as OpenID Connect names it. */
  readonly prompt?: string
}

/**
 * Logs in with a browser on this machine: authorization code with PKCE (RFC 7636), and a redirect to a loopback address.
 * @throws CommandError; the signal's reason
 */
export async function browserFlow(
  { configuration, place }: IssuerClient,
  { err, open, signal, prompt }: FlowContext,
): Promise<Granted> {
  mustOffer(configuration, 'authorization_endpoint', place.issuer)
  const loopback = await openLoopback()
  try {
    const [verifier, state, nonce] = [
      openid.randomPKCECodeVerifier(),
      openid.randomState(),
      openid.randomNonce(),
    ]
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: loopback.redirectUri,
      scope: place.scopes,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(prompt !== undefined && { prompt }),
    })
    const arrived = loopback.redirect(state, signal)
    // The first await after this is on it, or on the browser, which may take longer than the signal.
    arrived.catch(() => undefined)
    err(
      (await open(url))
        ? `Sign in in your browser. If none has opened, open this address on this machine:\n\n  ${url.href}\n\n`
        : `Open this address in a browser on this machine (from another one, use --device):\n\n  ${url.href}\n\n`,
    )
    const redirect = await arrived
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, redirect.url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const granted = grantedBy(tokens)
      redirect.answer()
      return granted
    } catch (error) {
      const problem = ofIssuer(error, place.issuer)
      redirect.answer(problem instanceof Error ? problem.message : String(problem))
      throw problem
    }
  } finally {
    await loopback.close()
  }
}

/**
 * Logs in with a browser anywhere: a code that its user types there (RFC 8628).
 * @throws CommandError; the signal's reason
 */
export async function deviceFlow(
  { configuration, place }: IssuerClient,
  { err, signal }: FlowContext,
): Promise<Granted> {
  mustOffer(configuration, 'device_authorization_endpoint', place.issuer)
  try {
    const device = await openid.initiateDeviceAuthorization(configuration, { scope: place.scopes })
    const { verification_uri: address, verification_uri_complete: whole, user_code: code } = device
    err(
      `On any device, open ${address} and type this code: ${code}\n${whole ? `or open ${whole} and compare the code.\n` : ''}` +
        `Do that only for a login that you began yourself. The code is good for ${Math.ceil(device.expires_in / 60)} min.\n\n`,
    )
    const polled = openid.pollDeviceAuthorizationGrant(configuration, device, undefined, { signal })
    // It looks at the signal when it asks again, seconds later.
    return grantedBy(await Promise.race([polled, rejection(signal)]))
  } catch (error) {
    signal.throwIfAborted()
    throw ofIssuer(error, place.issuer)
  }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** @throws CommandError */
function mustOffer(
  configuration: openid.Configuration,
  endpoint: 'authorization_endpoint' | 'device_authorization_endpoint',
  issuer: string,
): void {
  const address = configuration.serverMetadata()[endpoint]
  if (address === undefined)
    throw new CommandError(
      endpoint === 'device_authorization_endpoint'
        ? `the issuer ${issuer} has no codes for devices: log in without --device`
        : `the issuer ${issuer} has no page to sign in: try --device`,
      ExitCode.failed,
    )
  if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
    throw new CommandError(
      `the issuer ${issuer} names ${address}, which must begin with https://`,
      ExitCode.failed,
    )
}
