import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Config } from '../../config.js'
import type { Log } from '../../ports/log.js'
import { CommandError, ExitCode } from '../exit-code.js'

/** The certificate that the API's listeners present and the authority of clients that they accept, from the files that the settings name. All PEM. */
export interface ServingFiles {
  readonly tls?: { readonly certificate: string; readonly key: string }
  readonly clientCertificateAuthority?: string
}

/** @throws CommandError naming the setting whose file cannot be read or used */
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
  if (certificate !== undefined && key !== undefined) {
    usable(`tlsCertFile: ${config.tlsCertFile} holds no certificate in PEM form`, () =>
      createSecureContext({ cert: certificate }),
    )
    usable(`tlsKeyFile: ${config.tlsKeyFile} holds no private key in PEM form without a password`, () =>
      createSecureContext({ key }),
    )
    usable(`tlsKeyFile: ${config.tlsKeyFile} is not the key of ${config.tlsCertFile}`, () =>
      createSecureContext({ cert: certificate, key }),
    )
  }
  if (authority !== undefined)
    usable(
      `clientCaFile: ${config.clientCaFile} holds no certificate in PEM form`,
      () => new X509Certificate(authority),
    )
  return {
    ...(certificate !== undefined && key !== undefined && { tls: { certificate, key } }),
    ...(authority !== undefined && { clientCertificateAuthority: authority }),
  }
}

/** Tries what the listeners will do. OpenSSL's own words name neither setting nor file. */
function usable(problem: string, attempt: () => unknown): void {
  try {
    attempt()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${problem} (${why})`, ExitCode.usage, { cause: error })
  }
}

/**
 * Writes the authority of a self-signed certificate where clients can read it, and logs its path. Without it no client
 * could verify the server. The file is valid until the process ends, as the certificate is.
 * @param pem the authority; absent when the certificate came from files
 * @returns removes the file
 */
export function publishAuthority(
  pem: string | undefined,
  log: Log,
  folder: string = tmpdir(),
): { readonly close: () => void } {
  if (pem === undefined) return { close: () => undefined }
  const advice =
    'the API serves a self-signed certificate: give clients this authority with --certificate-authority, or set tlsCertFile and tlsKeyFile'
  try {
    // mkdtemp makes a new folder: no other user can have prepared it.
    const own = mkdtempSync(join(folder, 'kairship-'))
    const certificateAuthority = join(own, 'ca.crt')
    writeFileSync(certificateAuthority, pem, { mode: 0o644, flag: 'wx' })
    log.info({ certificateAuthority }, advice)
    return { close: () => rmSync(own, { recursive: true, force: true }) }
  } catch (error) {
    // A container's file system may be read-only. The certificate works without the file.
    log.warn(
      { error },
      'the API serves a self-signed certificate, whose authority cannot be written for clients: set tlsCertFile and tlsKeyFile',
    )
    return { close: () => undefined }
  }
}
