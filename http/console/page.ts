import { randomBytes } from 'node:crypto'

/** The placeholder of the nonce in the built page. */
const PLACEHOLDER = '{{nonce}}'
/**
 * Matches hosts that a policy can name. It cannot name an IPv6 address (CSP 3, section 2.3.1): there the nonce alone allows scripts and their
 * imports.
 */
const HOST = /^[a-z0-9.-]+(:\d+)?$/i

/**
 * The page with a fresh nonce, and its Content-Security-Policy: it may run its own scripts, use its own styles and images, and call its own server;
 * no page may frame it. Styles that its components create at runtime carry the nonce. Allowed scripts are those of the build and not all of this
 * origin, because any pod behind the proxy may serve a script.
 * @param host the server's name in the browser
 */
export function pageWith(
  html: string,
  host: string | undefined,
): { readonly html: string; readonly policy: string } {
  const scripts = host !== undefined && HOST.test(host) ? ` https://${host}/assets/` : ''
  const nonce = randomBytes(18).toString('base64')
  return {
    html: html.replaceAll(PLACEHOLDER, nonce),
    policy: [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'${scripts}`,
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}
