import { readFileSync } from 'node:fs'
import type { Config } from '../config.js'
import { CommandError, ExitCode } from './exit-code.js'

/** What the API's listeners present and whom they accept, read from the files that the settings name. All PEM. */
export interface ServingFiles {
  readonly tls?: { readonly certificate: string; readonly key: string }
  readonly clientCertificateAuthority?: string
}

/** @throws CommandError naming the setting whose file cannot be read */
export function readServingFiles(
  config: Pick<Config, 'tlsCertFile' | 'tlsKeyFile' | 'clientCaFile'>,
): ServingFiles {
  const read = (name: 'tlsCertFile' | 'tlsKeyFile' | 'clientCaFile'): string | undefined => {
    const path = config[name]
    if (path === undefined) return undefined
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CommandError(`${name} cannot be read: ${why}`, ExitCode.usage, { cause: error })
    }
  }
  const [certificate, key, authority] = [read('tlsCertFile'), read('tlsKeyFile'), read('clientCaFile')]
  return {
    ...(certificate !== undefined && key !== undefined && { tls: { certificate, key } }),
    ...(authority !== undefined && { clientCertificateAuthority: authority }),
  }
}
