import { parse } from 'yaml'
import { z } from 'zod'
import { ServiceSettingError } from '../../ports/service-error.js'
import { FreshFile } from './fresh-file.js'

/** A credential for a service. */
export type ServiceCredential =
  | { readonly token: string }
  | { readonly username: string; readonly password: string }

/** What a header may hold: a line break in a secret would end it. */
const printable = z.string().regex(/^[\x21-\x7e]+$/)
const form = z.union([
  z.strictObject({ token: printable }),
  // RFC 7617: the first colon ends the name.
  z.strictObject({ username: z.string().regex(/^[^:\p{Cc}]+$/u), password: z.string().regex(/^\P{Cc}+$/u) }),
])

/**
 * Reads a credential: YAML or JSON with either `token`, or `username` and `password`.
 * @param where the setting and the file
 * @throws ServiceSettingError that says what the file must hold, and quotes nothing of it
 */
export function parseCredential(text: string, where: string): ServiceCredential {
  const problem = () =>
    new ServiceSettingError(
      `${where} must hold YAML or JSON with either "token", or "username" and "password", each of one line`,
    )
  let document: unknown
  try {
    document = parse(text)
  } catch {
    throw problem() // the parser's own words quote the text
  }
  const { success, data } = form.safeParse(document)
  if (!success) throw problem()
  return data
}

/** The Authorization header of a credential. */
export const authorizationOf = (credential: ServiceCredential): string =>
  'token' in credential
    ? `Bearer ${credential.token}`
    : `Basic ${Buffer.from(`${credential.username}:${credential.password}`, 'utf8').toString('base64')}`

/** A credential in a file that is read again when it changes. */
export class CredentialFile {
  readonly #file: FreshFile

  /** @param setting names it in messages */
  constructor(path: string, setting: string) {
    this.#file = new FreshFile(path, setting)
  }

  /** @throws ServiceSettingError as `parseCredential` and `FreshFile.text` do */
  async current(): Promise<ServiceCredential> {
    return parseCredential(await this.#file.text(), `${this.#file.setting}: ${this.#file.path}`)
  }

  /** It was not accepted: the next reader reads the file. */
  refused(): void {
    this.#file.refused()
  }
}
