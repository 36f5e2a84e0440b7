import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import type { Config } from '../config.js'
import { CommandError, ExitCode } from './exit-code.js'

/** What a client needs to ask a running Kairship. The playground writes this as `client.yaml`. */
const clientConfig = z.strictObject({
  /** URL of the REST API. */
  server: z.string(),
  /** PEM of the authority that signed the server's certificate; absent means the ones Node.js trusts. */
  certificateAuthorityData: z.string().optional(),
  token: z.string().optional(),
})

/** How one Kairship is reached: everything resolved, nothing left to read. */
export type ClientConfig = z.output<typeof clientConfig>

/** Where a client config is looked for when none is named: the working folder (a playground's), then the home folder. */
const clientConfigPaths = (workingFolder = process.cwd(), home = homedir()): readonly string[] => [
  join(workingFolder, '.kairship', 'client.yaml'),
  join(home, '.kairship', 'client.yaml'),
]

/** Reads a file, or says that there is none; any other trouble is thrown. */
export type ReadIfThere = (path: string) => string | undefined

/**
 * Puts together how to reach Kairship: settings first, then the client config file for what they leave open.
 * @throws CommandError when no server is known or a file cannot be used; it says which flag or file would help
 */
export function resolveClient(
  config: Pick<Config, 'clientConfig' | 'server' | 'token' | 'tokenFile' | 'certificateAuthority'>,
  read: ReadIfThere,
  paths: readonly string[] = clientConfigPaths(),
): ClientConfig {
  const file = readClientConfig(config.clientConfig, read, paths)
  const server = config.server ?? file?.server
  if (server === undefined)
    throw new CommandError(
      `no Kairship to ask: start one with "kairship playground", or name one with --server (looked for ${paths.join(' and ')})`,
      ExitCode.usage,
    )
  // A token of the file belongs to the file's server and must not be sent to another one.
  const inherited = config.server === undefined || config.server === file?.server ? file : undefined
  const token = config.token ?? mustRead(config.tokenFile, read, '--token-file')?.trim() ?? inherited?.token
  const authority =
    mustRead(config.certificateAuthority, read, '--certificate-authority') ??
    inherited?.certificateAuthorityData
  return {
    server: server.replace(/\/$/, ''),
    ...(token === undefined ? {} : { token }),
    ...(authority === undefined ? {} : { certificateAuthorityData: authority }),
  }
}

/** The text of a client config file. It holds a token: write it readable by its owner only. */
export const renderClientConfig = (config: ClientConfig): string =>
  `# Read by "kairship get", "describe" and "kubeconfig". Holds a token: keep it to yourself.\n${stringify(config)}`

function readClientConfig(
  named: string | undefined,
  read: ReadIfThere,
  paths: readonly string[],
): ClientConfig | undefined {
  for (const path of named === undefined ? paths : [named]) {
    const text = read(path)
    if (text === undefined) continue
    const parsed = clientConfig.safeParse(parseYaml(path, text))
    if (parsed.success) return parsed.data
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
