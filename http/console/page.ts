import { randomBytes } from 'node:crypto'

/** Stands in the built page where each answer's nonce goes. */
const PLACEHOLDER = '{{nonce}}'
/** What a policy can name. An IPv6 address it cannot (CSP 3, section 2.3.1): there the nonce alone lets scripts in, and what they import. */
const HOST = /^[a-z0-9.-]+(:\d+)?$/i

/**
 * The page as it is answered, and its policy: it runs its own scripts, shows its own styles and images, calls its own server, and is framed by
 * nothing. Styles that its components make while it runs carry the nonce. Scripts are those of the build alone, and not all of this origin:
 * behind the proxy anyone's pod may answer with one.
 * @param host as the browser names this server
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
