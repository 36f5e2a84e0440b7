import { randomBytes } from 'node:crypto'

/** Stands in the built page where each answer's nonce goes. */
const PLACEHOLDER = '{{nonce}}'

/**
 * The page as it is answered, and its policy: it runs its own scripts, shows its own styles and images, calls its own server, and is framed by
 * nothing. Styles that its components make while it runs carry the nonce.
 */
export function pageWith(html: string): { readonly html: string; readonly policy: string } {
  const nonce = randomBytes(18).toString('base64')
  return {
    html: html.replaceAll(PLACEHOLDER, nonce),
    policy: [
      "default-src 'none'",
      "script-src 'self'",
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
