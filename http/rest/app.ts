import { isIP } from 'node:net'
import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { Code, codeName } from '../../transcoding/code.js'
import type { Audit } from '../audit/audit.js'
import { requestIdOf } from '../call/request-id.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import { Failure, httpStatusOf, notFound } from '../errors/failure.js'
import { statusOf } from '../errors/status.js'
import { toFailure } from '../errors/to-failure.js'
import { asksToImpersonate, refuseToImpersonate } from '../identity/acting-as.js'
import type { Authenticator } from '../identity/authenticate.js'
import { credentialsOf } from '../identity/credentials.js'
import type { Operation } from '../operation/operation.js'
import type { RestEnv } from './env.js'
import { jsonOf } from './json.js'
import { originOf } from './origin.js'
import { addRoutes } from './routes.js'

/** What REST depends on. */
export interface RestOptions {
  readonly operations: readonly Operation[]
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly log: Log
  readonly audit: Audit
  readonly meter: Meter
  /** Adds the routes that need no credentials: health, documents. */
  readonly anonymous?: (app: Hono<RestEnv>) => void
  /** Adds routes beside the operations, for callers that are authenticated. */
  readonly authenticated?: (app: Hono<RestEnv>) => void
}

/** The REST API. A request passes its steps from top to bottom. */
export function restApp(options: RestOptions): Hono<RestEnv> {
  // Hono's other router cannot hold our patterns, which its default finds out by trying.
  const app = new Hono<RestEnv>({ router: new TrieRouter() })
  app.onError((error, c) => {
    // A Failure is logged where it is made; anything else is a fault of ours before that.
    if (!(error instanceof Failure))
      options.log.error({ requestId: c.var.requestId, err: error }, 'request failed')
    return refuse(c, options, toFailure(error))
  })
  app.notFound(c => {
    const failure = notFound(`nothing is served at ${c.req.method} ${c.req.path}`, { reason: 'PathNotFound' })
    recordUnknown(c, options.audit, failure)
    return refuse(c, options, failure)
  })
  app.use(requestId)
  options.anonymous?.(app)
  app.use(authenticate(options))
  options.authenticated?.(app)
  addRoutes(app, options.operations, options.dispatcher)
  return app
}

/** The caller's request id where it is fit for a log line, or a new one. */
const requestId: MiddlewareHandler<RestEnv> = async (c, next) => {
  const id = requestIdOf(c.req.header('x-request-id'))
  c.set('requestId', id)
  c.set('remote', remoteOf(c))
  c.header('x-request-id', id)
  await next()
}

const authenticate =
  ({ authenticator }: RestOptions): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const { incoming } = c.env
    const credentials = incoming ? credentialsOf(incoming) : { authorization: c.req.header('authorization') }
    c.set('caller', await authenticator.authenticate(credentials))
    c.set('byCertificate', 'certificate' in credentials)
    if (incoming && asksToImpersonate(incoming.rawHeaders)) refuseToImpersonate()
    await next()
  }

const remoteOf = (c: Context<RestEnv>): string | undefined => {
  const address = c.env.incoming?.socket.remoteAddress
  return address && isIP(address) ? address : undefined
}

/** Records a request of an authenticated caller for something that is not served, unless it can only have been a read. */
function recordUnknown(c: Context<RestEnv>, audit: Audit, { code }: Failure): void {
  const { req, var: known } = c
  if (READS.has(req.method)) return
  audit.recordUnknown({
    requestId: known.requestId,
    wire: 'rest',
    operation: `${req.method} ${req.path}`,
    ...originOf(c),
    caller: known.caller,
    code,
  })
}

/** A browser asks for much that is not there. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Answers a Failure as google.rpc.Status. The dispatcher records failures of calls; those before a call are recorded here. */
function refuse(c: Context<RestEnv>, { audit, meter }: RestOptions, failure: Failure): Response {
  if (failure.code === Code.UNAUTHENTICATED) {
    meter.count('kairship_api_unauthenticated_total', { wire: 'rest' })
    audit.record({
      requestId: c.var.requestId,
      wire: 'rest',
      operation: `${c.req.method} ${c.req.path}`,
      ...originOf(c),
      code: failure.code,
      durationMs: 0,
    })
    c.header('www-authenticate', 'Bearer realm="kairship"')
  }
  if (failure.details.status === 405) recordUnknown(c, audit, failure)
  const { retryAfterSeconds } = failure.details
  if (retryAfterSeconds) c.header('retry-after', String(retryAfterSeconds))
  const body = jsonOf(StatusSchema, statusOf(failure, c.var.requestId))
  c.header('content-type', 'application/json')
  c.header('x-kairship-code', codeName(failure.code))
  return new Response(body, { status: httpStatusOf(failure), headers: c.res.headers })
}
