/** The nonce of this page's styles. Browsers hide it from selectors and give it to scripts. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
