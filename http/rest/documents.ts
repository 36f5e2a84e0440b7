import type { Hono } from 'hono'
import type { ServedService } from '../operation/operation.js'
import type { RestEnv } from './env.js'
import { openApiDocument } from './openapi.js'
import { documentPage, PAGE_POLICY } from './page.js'

/**
 * Serves the API's documentation: `/openapi.json` for programs, `/docs` for people. Both are open to anyone, like the source
 * they are made from; a call from the page needs credentials as any other does. Built at the first request.
 */
export function addDocuments(app: Hono<RestEnv>, services: readonly ServedService[]): void {
  let built: { readonly json: string; readonly page: string } | undefined
  const build = () => {
    if (built) return built
    const document = openApiDocument(services)
    built = { json: JSON.stringify(document), page: documentPage(document) }
    return built
  }
  app.get('/openapi.json', c =>
    c.body(build().json, 200, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }),
  )
  app.get('/docs', c =>
    c.body(build().page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    }),
  )
}
