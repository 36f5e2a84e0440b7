import { ServiceSettingError } from '../../ports/service-error.js'
import { FreshFile } from '../outbound/fresh-file.js'

/** A secret has so many bytes at least; RFC 2104 wants those of the hash, 32, and senders in use make 24. */
const LEAST_BYTES = 24
/** Secrets of a file at most: the one in use, the next one, and some on their way out. */
const MOST_SECRETS = 8

/** The secrets by which deliveries are signed, in a file that is read again when it changes: one `whsec_<base64>` a line. */
export class WebhookSecrets {
  readonly #file: FreshFile

  /** @param setting names it in messages */
  constructor(path: string, setting: string) {
    this.#file = new FreshFile(path, setting)
  }

  /** @throws ServiceSettingError that says what the file must hold, and quotes nothing of it */
  async current(): Promise<readonly Buffer[]> {
    return parseSecrets(await this.#file.text(), `${this.#file.setting}: ${this.#file.path}`)
  }
}

/** @param where the setting and the file @throws ServiceSettingError */
export function parseSecrets(text: string, where: string): readonly Buffer[] {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
  const secrets = lines.map(line => /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(line)?.[1] ?? '')
  const bytes = secrets.map(secret => Buffer.from(secret, 'base64'))
  if (bytes.length === 0 || bytes.length > MOST_SECRETS || bytes.some(({ length }) => length < LEAST_BYTES))
    throw new ServiceSettingError(
      `${where} must hold 1 to ${MOST_SECRETS} lines "whsec_<base64>", each of ${LEAST_BYTES} bytes at least`,
    )
  return bytes
}
