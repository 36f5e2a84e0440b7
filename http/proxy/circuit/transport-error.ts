/** Whether no server answered, as opposed to a request that could not be sent as it is, or that its caller gave up. */
export function isOfTransport(
  error: Error & { readonly code?: unknown; readonly syscall?: unknown },
): boolean {
  if (error.syscall !== undefined) return true
  return typeof error.code === 'string' && TRANSPORT.test(error.code)
}

/** Of undici, of sockets, and of TLS, whose verdicts on certificates have many names. */
const TRANSPORT =
  /^(UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|SOCKET)|ECONN|EPIPE|ERR_(TLS|SSL)|DEPTH_|SELF_SIGNED_|UNABLE_TO_|CERT_)/
