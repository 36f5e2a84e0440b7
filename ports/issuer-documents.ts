/** Reads what one OpenID Connect issuer publishes, over TLS. */
export interface IssuerDocuments {
  /**
   * The JSON value at a URL that begins with `https://`. Bounded in time and bytes; redirects are not followed.
   * @throws Error that says in words why there is none
   */
  read(url: string, signal: AbortSignal): Promise<unknown>
  /** Ends what is under way, and closes the sockets. */
  close(): Promise<void>
}

/** @param certificateAuthority PEM of the authorities that vouch for the issuer; the platform's own where it is absent */
export type ConnectIssuer = (certificateAuthority: string | undefined) => IssuerDocuments
