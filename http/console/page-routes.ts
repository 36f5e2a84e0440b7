import type { Hono } from 'hono'
import type { RestEnv } from '../rest/env.js'
import { type Assets, formFor } from './assets.js'
import { pageWith } from './page.js'

/** Files have the hash of their content in their names, so they never change. A year is the longest that caches honour (RFC 9111). */
const FOREVER = 'public, max-age=31536000, immutable'

/** Serves the console's page and files to everybody, as their source is public. */
export function addPage(app: Hono<RestEnv>, { page, files }: Assets): void {
  app.get('/assets/:name', async (c, next) => {
    const asset = files.get(c.req.path)
    if (!asset) return next()
    const { bytes, encoding } = formFor(asset, c.req.header('accept-encoding'))
    if (encoding) c.header('content-encoding', encoding)
    c.header('vary', 'accept-encoding')
    c.header('cache-control', FOREVER)
    c.header('x-content-type-options', 'nosniff')
    return c.body(bytes, 200, { 'content-type': asset.type })
  })
  // Every view has its own path; the page reads the path and renders the view.
  app.get('*', async (c, next) => {
    if (!isView(c.req.path, c.req.header('accept'))) return next()
    const { html, policy } = pageWith(page, c.req.header('host'))
    return c.body(html, 200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  })
}

/** Paths that are never views of the console: APIs, or pages of their own. */
const NO_VIEW = /^\/(apis|assets|console|docs|openapi\.json|healthz|livez|readyz|webhooks|\.well-known)(\/|$)/

/** Whether a browser navigates to a view, as opposed to a request of a script. */
const isView = (path: string, accept: string | undefined): boolean =>
  !NO_VIEW.test(path) && (path === '/' || (accept ?? '').includes('text/html'))
