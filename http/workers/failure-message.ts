import type { Code } from '../../transcoding/code.js'
import { Failure } from '../errors/failure.js'
import type { FailureMessage } from './messages.js'

/** A Failure without its cause, for the other process. */
export function failureMessage({
  code,
  message,
  details: { cause: _, ...details },
}: Failure): FailureMessage {
  return { code, message, details }
}

/** The Failure that the other process wrote. */
export const failureOf = ({ code, message, details }: FailureMessage): Failure =>
  new Failure(code as Exclude<Code, 0>, message, details)
