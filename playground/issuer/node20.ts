/**
 * oidc-provider 9 is made for Node.js 22. Of what Node.js 20 lacks it uses only this, of the URL standard: a test signs in with every
 * flow that the playground offers.
 */
if (!('parse' in URL))
  Object.defineProperty(URL, 'parse', {
    configurable: true,
    writable: true,
    value: (url: string, base?: string) => (URL.canParse(url, base) ? new URL(url, base) : null),
  })
