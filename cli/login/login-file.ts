import { CommandError, ExitCode } from '../exit-code.js'

/** The code of an error of the system, such as ENOENT; undefined of any other. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error ? (error as NodeJS.ErrnoException).code : undefined

/** What a person reads of the system's refusal to read or write a login: a full disk is none of the issuer's, and no defect. Other errors stay. */
export const ofFile = (error: unknown, path: string): unknown =>
  systemCode(error) === undefined
    ? error
    : new CommandError(`${path} cannot be used: ${(error as Error).message}`, ExitCode.failed, {
        cause: error,
      })
