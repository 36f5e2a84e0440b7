import type { ObjectCall } from './objects.js'

/** A call for what completes an answer: the answer says where its own objects are from, and not where these are. */
export const sideCall = ({ caller, signal, answers }: ObjectCall): ObjectCall => ({
  caller,
  signal,
  answers,
  answered: () => undefined,
})
