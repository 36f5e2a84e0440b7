import { existsSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../fleet/make-folder.js'
import { type PlaygroundIssuer, type PlaygroundIssuerOptions, startPlaygroundIssuer } from './issuer.js'
import { CONSOLE_CLIENT, LOGIN_CLIENT } from './login-client.js'

/** A running issuer, and the settings of a Kairship that accepts its tokens. */
export interface ConfiguredIssuer extends Pick<PlaygroundIssuer, 'url' | 'password' | 'serve' | 'close'> {
  readonly settings: {
    readonly authenticationConfig: string
    readonly loginClientId: string
    readonly loginPrompt: 'consent'
    readonly consoleClientId: string
  }
}

/**
 * Starts the playground's issuer, and writes the AuthenticationConfiguration of its Kairship into a folder, where it can be read and changed.
 * @param options.folder where that file is until the issuer is closed
 */
export async function startIssuer({
  folder,
  ...options
}: PlaygroundIssuerOptions & { readonly folder: string }): Promise<ConfiguredIssuer> {
  const issuer = await startPlaygroundIssuer(options)
  try {
    const path = join(folder, 'authentication.json')
    const text = issuer.authenticationConfiguration()
    makeFolder(folder)
    writeFileSync(path, text, { mode: 0o600 })
    return {
      url: issuer.url,
      password: issuer.password,
      settings: {
        authenticationConfig: path,
        loginClientId: LOGIN_CLIENT.id,
        loginPrompt: 'consent',
        consoleClientId: CONSOLE_CLIENT.id,
      },
      serve: console => issuer.serve(console),
      close: async () => {
        await issuer.close()
        // What another playground or a person has written there is not ours.
        if (!existsSync(path) || readFileSync(path, 'utf8') !== text) return
        rmSync(path)
        removeIfEmpty(folder)
      },
    }
  } catch (error) {
    await issuer.close()
    throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
