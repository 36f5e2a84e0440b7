import type { Config } from '../../config.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { flagOf } from './load-config.js'

const addresses = ['listen', 'grpcListen', 'healthListen'] as const

/** What Node says, and what grpc-js and the embedded servers repeat: `listen EADDRINUSE: address already in use 127.0.0.1:80`. */
const listening = /\blisten (E[A-Z]+)\b.*?(\S+):(\d+)\b/
/** Port 0 is not in the message: `listen EADDRNOTAVAIL: address not available 192.0.2.1`. */
const listeningAnywhere = /\blisten (E[A-Z]+): .* ([0-9a-fA-F.:]+)$/

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process: stop that, or name another address (port 0 picks a free one)',
  EACCES: 'may not be listened on by this user: name another address, with a port above 1023',
  EADDRNOTAVAIL: 'is no address of this machine: name one that is',
  ENOTFOUND: 'is no address of this machine: name one that is',
}

/**
 * Explains in one line, with the name of the setting, that a server cannot listen on an address. Any other error is
 * returned as it is.
 */
export function listenProblem(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error
  const [, code = '', host, port = '0'] =
    listening.exec(error.message) ?? listeningAnywhere.exec(error.message) ?? []
  if (host === undefined) return error
  const why = reasons[code] ?? `cannot be listened on: ${code}`
  const setting = addresses.find(name => config[name] === `${host}:${port}`) ?? byPort(config, port)
  const message = setting
    ? `${flagOf(setting)}: ${config[setting]} ${why}`
    : config.data === undefined
      ? error.message
      : `--data: ${host}:${port}, where the playground of ${config.data} listened before, ${why.split(':')[0]}: stop that, or name another folder`
  return new CommandError(message, ExitCode.failed, { cause: error })
}

/** An address that was given by name is reported by number. */
const byPort = (config: Config, port: string): (typeof addresses)[number] | undefined =>
  addresses.find(name => config[name].endsWith(`:${port}`))
