import type { ObjectCall } from './objects.js'

/** A call for what completes an answer: the answer says where its own objects are from, and not where these are. */
export const sideCall = ({ caller, signal, answers, requestId }: ObjectCall): ObjectCall => ({
  caller,
  signal,
  answers,
  ...(requestId !== undefined && { requestId }),
  answered: () => undefined,
})
