/** By it a page of the console says whose it is: the session of its browser may be another user's by now. */
export const SESSION_USER = 'kairship-session-user'

/** A user's name as the header has it: percent-encoded, since headers are ASCII. */
export const sessionUserText = (user: string): string =>
  encodeURIComponent(user.replace(/\p{Surrogate}/gu, '\ufffd'))

/** Before the name of a page's user among the subprotocols of its WebSockets: those of browsers have no other header. No server chooses it. */
const PROTOCOL_PREFIX = 'session-user.kairship.io.'

/** The subprotocol by which a page's WebSocket says whose it is: a token of HTTP, which has no parentheses (RFC 9110, section 5.6.2). */
export const sessionUserProtocol = (user: string): string =>
  PROTOCOL_PREFIX + sessionUserText(user).replace(/[()]/g, letter => (letter === '(' ? '%28' : '%29'))

/** Whether it is such a subprotocol. */
export const isSessionUserProtocol = (protocol: string): boolean => protocol.startsWith(PROTOCOL_PREFIX)

/** The subprotocol of the socket that a page's streams share: a server that is offered some has to choose one. */
export const SOCKET_PROTOCOL = 'streams.kairship.io'
