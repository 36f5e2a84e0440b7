/** The nonce of this page's styles: browsers hide it from the page's text, and give it to its scripts. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
