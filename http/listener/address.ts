/** Where to listen: `host:port`, IPv6 in brackets, port 0 for any that is free. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** @throws Error when the text is not `host:port` */
export function parseAddress(text: string): Address {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (!host || port > 65_535) throw new Error(`${JSON.stringify(text)} is not host:port`)
  return { host, port }
}

/** `host:port`, as it stands in a URL. */
export const formatAddress = ({ host, port }: Address): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
