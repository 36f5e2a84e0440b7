import { writeFileSync } from 'node:fs'
import { connectIssuer } from '../../../actors/issuers/issuer-documents.js'
import type { ApiOptions } from '../../../http/api-options.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { type PlaygroundIssuer, startPlaygroundIssuer } from '../../../playground/issuer/issuer.js'
import { CONSOLE_CLIENT, LOGIN_CLIENT } from '../../../playground/issuer/login-client.js'
import type { IssuerSignIn } from '../../../ports/issuer-sign-in.js'
import { ScriptedBrowser } from '../../cli/login/scripted-browser.js'
import { silent } from '../../silent.js'

/** The playground's issuer, with what a client and a browser need to use it. */
export interface IssuerUnderTest extends PlaygroundIssuer {
  readonly place: {
    readonly issuer: string
    readonly clientId: string
    readonly scopes: string
    readonly issuerCertificateAuthority: string
  }
  browser(): ScriptedBrowser
}

/** Starts it. Its certificate is good for every start with the same `tls`. */
export async function issuerUnderTest(
  options: { readonly dataDir?: string; readonly idTokenSeconds?: number; readonly tls?: Tls } = {},
): Promise<IssuerUnderTest> {
  const tls = options.tls ?? (await tlsUnderTest())
  const issuer = await startPlaygroundIssuer({ ...options, tls, log: silent })
  const browsers: ScriptedBrowser[] = []
  return {
    url: issuer.url,
    password: issuer.password,
    get refreshes() {
      return issuer.refreshes
    },
    authenticationConfiguration: () => issuer.authenticationConfiguration(),
    serve: console => issuer.serve(console),
    place: {
      issuer: issuer.url,
      clientId: LOGIN_CLIENT.id,
      scopes: 'openid offline_access',
      issuerCertificateAuthority: tls.certificateAuthority,
    },
    browser: () => {
      const browser = new ScriptedBrowser(tls.certificateAuthority)
      browsers.push(browser)
      return browser
    },
    close: async () => {
      await issuer.close()
      for (const browser of browsers) await browser.close()
    },
  }
}

/**
 * How a Kairship trusts an issuer, and has people sign in there with a browser.
 * @param file where the configuration of its tokens is written
 */
export function consoleSignInAt(
  issuer: Pick<IssuerUnderTest, 'authenticationConfiguration'>,
  file: string,
  signIn: IssuerSignIn,
): NonNullable<ApiOptions['authentication']> {
  writeFileSync(file, issuer.authenticationConfiguration())
  return {
    file,
    connect: connectIssuer,
    graceMs: 3_600_000,
    browserSignIn: {
      issuer: signIn,
      clientId: CONSOLE_CLIENT.id,
      scopes: 'openid offline_access',
      prompt: 'consent',
    },
  }
}

export interface Tls {
  readonly certificate: string
  readonly key: string
  readonly certificateAuthority: string
}

export async function tlsUnderTest(): Promise<Tls> {
  const authority = await createAuthority('issuer')
  return { ...authority.issueServing(), certificateAuthority: authority.certificate }
}
