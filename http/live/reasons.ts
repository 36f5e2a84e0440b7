import { type Failure, permissionDenied, unauthenticated, unavailable } from '../errors/failure.js'

/** The credential of a call counts no more. */
export const ended = (message: string): Failure => unauthenticated(message, { reason: 'CredentialEnded' })

/** Its caller has lost the right to it. */
export const withdrawn = (message: string): Failure =>
  permissionDenied(message, { reason: 'AccessWithdrawn' })

/** A call about many instances goes on with those that are left. */
export const resume = (why: string): Failure =>
  unavailable(`${why}: resume with the last token, for what is left`, { reason: 'AccessWithdrawn' })

/** A role of its caller was taken away, or is less. */
export const roleLost = (instance: string | undefined): Failure =>
  instance === undefined
    ? resume('a role was taken away')
    : withdrawn(
        `a role of yours on instance ${instance} was taken away, or gives less than before: repeat the request for what you may still do`,
      )

/** @param ms for how long nobody could say whether it may go on, milliseconds */
export const nobodySays = (ms: number, why: string): Failure =>
  unavailable(`for ${ms / 1_000} s nobody could say whether this may go on: ${why}`)
