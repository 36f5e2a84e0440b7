/** By it a page of the console says whose it is: the session of its browser may be another user's by now. */
export const SESSION_USER = 'kairship-session-user'

/** A user's name as the header has it: percent-encoded, since headers are ASCII. */
export const sessionUserText = (user: string): string =>
  encodeURIComponent(user.replace(/\p{Surrogate}/gu, '\ufffd'))
