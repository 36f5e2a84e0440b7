import type { Hono } from 'hono'
import type { ServedService } from '../grpc/server.js'
import type { RestEnv } from './env.js'
import { openApiDocument } from './openapi.js'
import { documentPage } from './page.js'

/** Serves what the API can be asked: `/openapi.json` for programs, `/docs` for people. Built when first asked for. */
export function addDocuments(app: Hono<RestEnv>, services: readonly ServedService[]): void {
  let built: { readonly json: string; readonly page: string } | undefined
  const build = () => {
    if (built) return built
    const document = openApiDocument(services)
    built = { json: JSON.stringify(document), page: documentPage(document) }
    return built
  }
  app.get('/openapi.json', c => c.body(build().json, 200, { 'content-type': 'application/json' }))
  app.get('/docs', c =>
    c.body(build().page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    }),
  )
}
