/** What the process says about itself when it ends. Scripts may rely on these. */
export const ExitCode = {
  /** Done, or stopped by a signal. */
  ok: 0,
  /** It was tried and failed; the reason is on stderr. */
  failed: 1,
  /** The command line, environment or config file is wrong; nothing was tried. */
  usage: 2,
  /** The named object does not exist. */
  notFound: 3,
  /** The caller is not known, or may not do this. */
  denied: 4,
  /** It was not done in time (`playground --once`). */
  timedOut: 5,
} as const

/** One of the codes above, or 128 + the number of the signal that ended the process. */
export type ExitCode = number

/** Fails a command with a message for people and a code for scripts. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
