import { FreshFile } from '../outbound/fresh-file.js'
import { OpenIdSignIn } from './issuer-sign-in.js'

/** The settings of signing in with a browser, by the names of `config.ts`. */
export interface SignInSettings {
  readonly consoleClientId: string | undefined
  readonly consoleClientCredentialFile: string | undefined
  readonly loginScopes: string
  readonly loginPrompt: string | undefined
}

/**
 * How people sign in to the console; undefined where no client is configured. Nothing is sent to an issuer yet.
 * @throws ServiceSettingError for a file that cannot be read
 */
export async function browserSignInOf(settings: SignInSettings) {
  const { consoleClientId: clientId, consoleClientCredentialFile: path } = settings
  const { loginScopes: scopes, loginPrompt: prompt } = settings
  if (clientId === undefined) return undefined
  const file = path === undefined ? undefined : new FreshFile(path, 'consoleClientCredentialFile')
  await file?.text()
  const issuer = new OpenIdSignIn(async () => (await file?.text())?.trim())
  return { issuer, clientId, scopes, ...(prompt !== undefined && { prompt }) }
}
