import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { Context, MiddlewareHandler } from 'hono'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { audit } from '../audit.js'
import { Code, codeName, httpStatus } from '../code.js'
import type { Dispatcher } from '../dispatch.js'
import { statusOf, toFailure } from '../errors.js'
import { Failure, invalidArgument, notFound } from '../failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { certificateOf } from '../identity/certificate.js'
import { LARGEST_BODY } from '../limits.js'
import type { Operation } from '../operation.js'
import type { RestEnv } from './env.js'
import { jsonOf } from './json.js'
import { addRoutes } from './routes.js'

/** What the REST door needs. */
export interface RestOptions {
  readonly operations: readonly Operation[]
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  readonly log: Log
  readonly meter: Meter
  /** Adds what may be asked without credentials (health) before the chain asks for them. */
  readonly anonymous?: (app: Hono<RestEnv>) => void
  /** Adds what is no rpc (documents, metrics) behind authentication. */
  readonly further?: (app: Hono<RestEnv>) => void
}

/** The REST door. Read it from top to bottom: that is the order a request goes through. */
export function restApp(options: RestOptions): Hono<RestEnv> {
  const app = new Hono<RestEnv>()
  app.onError((error, c) => {
    // A Failure was recorded where it was made one; anything else is a fault of ours on the way there.
    if (!(error instanceof Failure))
      options.log.error({ requestId: c.var.requestId, err: error }, 'request failed')
    return refuse(c, options, toFailure(error))
  })
  app.notFound(c => refuse(c, options, notFound(`nothing is served at ${c.req.method} ${c.req.path}`)))
  app.use(requestId)
  options.anonymous?.(app)
  app.use(authenticate(options))
  app.use(limitBody)
  addRoutes(app, options.operations, options.dispatcher)
  options.further?.(app)
  return app
}

/** Takes over a caller's request id where it is harmless in a log line, or makes one. */
const requestId: MiddlewareHandler<RestEnv> = async (c, next) => {
  const given = c.req.header('x-request-id')
  const id = given && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  c.set('requestId', id)
  c.set('remote', remoteOf(c))
  c.header('x-request-id', id)
  await next()
}

const authenticate =
  ({ authenticator }: RestOptions): MiddlewareHandler<RestEnv> =>
  async (c, next) => {
    const certificate = certificateOf(c.env.incoming?.socket)
    c.set(
      'caller',
      await authenticator.authenticate({ authorization: c.req.header('authorization'), certificate }),
    )
    await next()
  }

const limitBody = bodyLimit({
  maxSize: LARGEST_BODY,
  onError: () => {
    throw invalidArgument(`the body is larger than ${LARGEST_BODY} bytes`)
  },
})

const remoteOf = (c: Context<RestEnv>): string | undefined => {
  const address = c.env.incoming?.socket.remoteAddress
  return address && isIP(address) ? address : undefined
}

/** The error door of REST: a google.rpc.Status. Handlers' failures are recorded by the dispatcher, earlier ones here. */
function refuse(c: Context<RestEnv>, { log, meter }: RestOptions, failure: Failure): Response {
  if (failure.code === Code.UNAUTHENTICATED) {
    meter.count('kairship_api_unauthenticated_total', { wire: 'rest' })
    audit(log, {
      requestId: c.var.requestId,
      wire: 'rest',
      operation: `${c.req.method} ${c.req.path}`,
      ...(c.var.remote ? { remote: c.var.remote } : {}),
      code: failure.code,
      durationMs: 0,
    })
    c.header('www-authenticate', 'Bearer realm="kairship"')
  }
  const { retryAfterSeconds } = failure.details
  if (retryAfterSeconds) c.header('retry-after', String(retryAfterSeconds))
  const body = jsonOf(StatusSchema, statusOf(failure, c.var.requestId))
  c.header('content-type', 'application/json')
  c.header('x-kairship-code', codeName(failure.code))
  return new Response(body, { status: httpStatus[failure.code], headers: c.res.headers })
}
