import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import type { Config } from '../../config.js'
import { CommandError, ExitCode } from '../exit-code.js'

/** How a client reaches a running Kairship. The playground writes this as `client.yaml`. */
const clientConfig = z.strictObject({
  /** URL of the REST API. */
  server: z.string(),
  /** PEM of the authority that signed the server's certificate; absent means the ones Node.js trusts. */
  certificateAuthorityData: z.string().optional(),
  token: z.string().optional(),
})

/** How one Kairship is reached: everything resolved, nothing left to read. */
export type ClientConfig = z.output<typeof clientConfig>

/** How a command reaches Kairship, and for error messages, where it is written. */
export interface ResolvedClient extends ClientConfig {
  /** The client config file that names the server; absent where a setting does. */
  readonly namedBy?: string
  /** For the user: a credential of the environment that is not used. */
  readonly note?: string
  /** The token is of a client config that was found, and not named: a login to the same server counts more. */
  readonly isTokenFound?: boolean
  /** Only a file in the working folder names the server: others may have put it there. */
  readonly isServerFound?: boolean
}

/** Where a client config is looked for when none is named: the working folder (a playground's), then the home folder. */
export type ClientConfigPaths = readonly [workingFolder: string, home: string]

const clientConfigPaths = (workingFolder = process.cwd(), home = homedir()): ClientConfigPaths => [
  join(workingFolder, '.kairship', 'client.yaml'),
  join(home, '.kairship', 'client.yaml'),
]

/** Reads a file, or says that there is none; any other trouble is thrown. */
export type ReadIfThere = (path: string) => string | undefined

/**
 * Puts together how to reach Kairship: settings first, then the client config file for what they leave open.
 *
 * Credentials and servers stay together. A token of the file is never sent to a server that a setting names. A token of
 * the settings is never sent to a server that only a file in the working folder names: its author would otherwise
 * receive the token of every user who runs a command there.
 * @param fallback the server of the last login, where nothing names one
 * @throws CommandError when no server is known or a file cannot be used; it says which flag or file would help
 */
export function resolveClient(
  config: Pick<Config, 'clientConfig' | 'server' | 'token' | 'tokenFile' | 'certificateAuthority'>,
  read: ReadIfThere,
  paths: ClientConfigPaths = clientConfigPaths(),
  fallback: () => Omit<ClientConfig, 'token'> | undefined = () => undefined,
): ResolvedClient {
  const found = readClientConfig(config.clientConfig, read, paths)
  const loggedIn = config.server === undefined && found === undefined ? fallback() : undefined
  const server = config.server ?? found?.content.server ?? loggedIn?.server
  if (server === undefined)
    throw new CommandError(
      `no Kairship found: log in to one with "kairship login --server URL", start one with "kairship playground", name one with --server, or name its file with --client-config, which is DIR/client.yaml for a playground with --data DIR or --files DIR (looked for ${paths.join(' and ')})`,
      ExitCode.usage,
    )
  const file = config.server === undefined || config.server === found?.content.server ? found : undefined
  const token =
    config.server === undefined && found?.inWorkingFolder
      ? tokenOfFolder(config, found)
      : (config.token ?? mustRead(config.tokenFile, read, '--token-file')?.trim() ?? file?.content.token)
  const authority = namedAuthority(config, read) ?? (file?.content ?? loggedIn)?.certificateAuthorityData
  const isIgnored = config.token !== undefined && token !== config.token
  return {
    ...(isIgnored &&
      found && {
        note: `KAIRSHIP_TOKEN is not used: ${found.path} names the server and its token. To use it, name the file with --client-config.`,
      }),
    server: server.replace(/\/$/, ''),
    ...(token === undefined ? {} : { token }),
    ...(token !== undefined &&
      config.clientConfig === undefined &&
      token === file?.content.token && { isTokenFound: true }),
    ...(config.server === undefined && found?.inWorkingFolder && { isServerFound: true }),
    ...(authority === undefined ? {} : { certificateAuthorityData: authority }),
    ...(found === undefined || config.server !== undefined ? {} : { namedBy: found.path }),
  }
}

/** The authority that a setting names. Node ignores a file without a certificate, and then trusts no server. */
function namedAuthority(
  { certificateAuthority: path }: Pick<Config, 'certificateAuthority'>,
  read: ReadIfThere,
): string | undefined {
  const text = mustRead(path, read, '--certificate-authority')
  if (text === undefined || text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new CommandError(
    `--certificate-authority: ${path} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)`,
    ExitCode.usage,
  )
}

/** The token for a server that a file in the working folder names: that file's own, or none. */
function tokenOfFolder(
  { token, tokenFile }: Pick<Config, 'token' | 'tokenFile'>,
  { path, content }: FoundConfig,
): string | undefined {
  if (tokenFile === undefined && (token === undefined || content.token !== undefined)) return content.token
  throw new CommandError(
    `${tokenFile === undefined ? 'KAIRSHIP_TOKEN' : '--token-file'} is not sent to ${content.server}, which ${path} names: ` +
      `if you trust this server, name it with --server or the file with --client-config`,
    ExitCode.usage,
  )
}

/** The text of a client config file. It holds a token: write it readable by its owner only. */
export const renderClientConfig = (config: ClientConfig): string =>
  `# The commands that call Kairship read this file. It holds a token: keep it to yourself.\n${stringify(config)}`

interface FoundConfig {
  readonly path: string
  readonly content: ClientConfig
  /** Found there, and not named by the caller: others may have put it there. */
  readonly inWorkingFolder: boolean
}

function readClientConfig(
  named: string | undefined,
  read: ReadIfThere,
  paths: ClientConfigPaths,
): FoundConfig | undefined {
  const [workingFolder, home] = paths
  for (const path of named === undefined ? paths : [named]) {
    const text = read(path)
    if (text === undefined) continue
    const parsed = clientConfig.safeParse(parseYaml(path, text))
    if (parsed.success) {
      const inWorkingFolder = named === undefined && path === workingFolder && path !== home
      return { path, content: parsed.data, inWorkingFolder }
    }
    throw new CommandError(`${path} is not a client config: ${z.prettifyError(parsed.error)}`, ExitCode.usage)
  }
  if (named !== undefined) throw new CommandError(`${named} does not exist`, ExitCode.usage)
  return undefined
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new CommandError(`${path} is not YAML`, ExitCode.usage, { cause: error })
  }
}

function mustRead(path: string | undefined, read: ReadIfThere, flag: string): string | undefined {
  if (path === undefined) return undefined
  const text = read(path)
  if (text === undefined) throw new CommandError(`${flag}: ${path} does not exist`, ExitCode.usage)
  return text
}
