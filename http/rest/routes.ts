import type { ServerResponse } from 'node:http'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Binding } from '../../transcoding/binding.js'
import { bySpecificity, ONE_SEGMENT, type Template } from '../../transcoding/template.js'
import { type AnsweredFrom, sourceHeaders } from '../call/answered-from.js'
import { requestTimeout } from '../call/deadline.js'
import type { Delivery } from '../dispatch/delivery.js'
import type { Dispatcher } from '../dispatch/dispatcher.js'
import type { Arrival } from '../dispatch/running-call.js'
import { invalidArgument, methodNotAllowed } from '../errors/failure.js'
import { LARGEST_BODY } from '../limits/request-size.js'
import type { Operation } from '../operation/operation.js'
import { bindRequest } from './bind.js'
import type { RestEnv } from './env.js'
import { eventsOf } from './events.js'
import { jsonOf } from './json.js'
import { originOf } from './origin.js'

/** Adds a route for every binding of every operation, the more specific first, and a 405 for their other methods. */
export function addRoutes(
  app: Hono<RestEnv>,
  operations: readonly Operation[],
  dispatcher: Dispatcher,
): void {
  const routes = operations
    .flatMap(operation => operation.bindings.map(binding => ({ operation, binding })))
    .sort((a, b) => bySpecificity(a.binding.template, b.binding.template))
  for (const { operation, binding } of routes) {
    app.on(binding.verb, patternOf(binding.template), limitBody(operation, dispatcher), c =>
      answer(c, operation, binding, dispatcher),
    )
  }
  // Made at the first request for a path that is not served.
  let served: readonly { verb: string; pattern: RegExp }[] | undefined
  app.all('*', async (c, next) => {
    served ??= routes.map(({ binding: { verb, template } }) => ({ verb, pattern: expressionOf(template) }))
    const verbs = served.filter(({ pattern }) => pattern.test(c.req.path)).map(({ verb }) => verb)
    if (verbs.length === 0) return next()
    const allowed = [...new Set(verbs.includes('GET') ? [...verbs, 'HEAD'] : verbs)].sort().join(', ')
    c.header('allow', allowed)
    throw methodNotAllowed(`${c.req.method} is not served at ${c.req.path}: use ${allowed}`)
  })
}

/** Refuses a body that is too large, and records the attempt. */
const limitBody = (operation: Operation, dispatcher: Dispatcher): MiddlewareHandler<RestEnv> =>
  bodyLimit({
    maxSize: LARGEST_BODY,
    onError: c => {
      const failure = invalidArgument(`the body is larger than ${LARGEST_BODY} bytes`)
      dispatcher.refused(operation, arrivalOf(c as Context<RestEnv>), failure)
      throw failure
    },
  })

/** Matches the paths of a template. */
const expressionOf = ({ segments, verb }: Template): RegExp => {
  const parts = segments.map(segment => ('literal' in segment ? escaped(segment.literal) : segment.pattern))
  return new RegExp(`^/${parts.join('/')}${verb ? `:${escaped(verb)}` : ''}$`)
}

const escaped = (text: string): string => text.replace(/[^\w-]/g, '\\$&')

/**
 * Hono's pattern for a template. Parameters are numbered; a custom verb is part of the last one's expression. One that may be any
 * one segment needs no expression, as it is what Hono takes a parameter for.
 */
export function patternOf({ segments, verb }: Template): string {
  const suffix = verb ? `:${verb}` : ''
  const parts = segments.map((segment, index) => {
    const end = index === segments.length - 1 ? suffix : ''
    if ('literal' in segment) return segment.literal + end
    const expression = segment.pattern + end
    return expression === ONE_SEGMENT ? `:p${index}` : `:p${index}{${expression}}`
  })
  return `/${parts.join('/')}`
}

/** The path parameters by field path, the custom verb cut off. */
function parametersOf(c: Context, { segments, verb }: Template): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    if ('literal' in segment) continue
    const value = c.req.param(`p${index}`) ?? ''
    const last = index === segments.length - 1
    found[segment.field] = verb && last ? value.slice(0, -verb.length - 1) : value
  }
  return found
}

async function answer(
  c: Context<RestEnv>,
  operation: Operation,
  binding: Binding,
  dispatcher: Dispatcher,
): Promise<Response> {
  const read = async () =>
    bindRequest(operation, binding, {
      path: parametersOf(c, binding.template),
      query: queryOf(c, operation),
      body: await bodyOf(c, binding),
    })
  const arrival = {
    ...arrivalOf(c),
    timeoutMs: requestTimeout(c.req.header('grpc-timeout')),
    answered: (from: AnsweredFrom) => {
      for (const [name, value] of sourceHeaders(from)) c.header(name, value)
    },
    delivery: c.env.delivery ?? deliveryOf(c.env.outgoing),
  }
  if (operation.method.methodKind === 'unary') {
    const message = await dispatcher.unary(operation, read, arrival)
    return c.body(jsonOf(operation.method.output, message), 200, { 'content-type': 'application/json' })
  }
  const messages = await dispatcher.stream(operation, read, arrival)
  return c.body(eventsOf(operation, messages, c.var.requestId), 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    // Without this nginx buffers answers, and events arrive late.
    'x-accel-buffering': 'no',
  })
}

function deliveryOf(outgoing: ServerResponse | undefined): Delivery | undefined {
  return (
    outgoing && {
      whenOver: then => void (outgoing.closed ? then() : outgoing.once('close', then)),
      cut: () => void outgoing.destroy(),
    }
  )
}

const arrivalOf = (c: Context<RestEnv>): Arrival => ({
  bySession: c.var.bySession ?? false,
  wire: 'rest',
  requestId: c.var.requestId,
  caller: c.var.caller,
  ...originOf(c),
  signal: c.req.raw.signal,
})

/** A browser's EventSource resumes by header: it means the request's resume token, unless the query names one. */
function queryOf(c: Context<RestEnv>, operation: Operation): URLSearchParams {
  const query = new URL(c.req.url).searchParams
  const lastEventId = c.req.header('last-event-id')
  const resumes = operation.method.input.fields.some(({ name }) => name === 'resume_token')
  if (lastEventId && resumes && !query.has('resumeToken') && !query.has('resume_token')) {
    query.set('resumeToken', lastEventId)
  }
  return query
}

async function bodyOf(c: Context<RestEnv>, { verb, body }: Binding): Promise<string> {
  if (verb === 'GET') return ''
  const type = c.req.header('content-type')
  // A page of any site can make a browser post without a content type, but with one of these only after a preflight. So it is
  // required where a browser could have authenticated the caller by itself, also where the body is not read. A page sends no token.
  if (!type && c.var.byCertificate && !c.req.header('authorization')) {
    throw invalidArgument('send content-type: application/json, also with an empty body')
  }
  if (body === '') return ''
  if (type && !/^application\/json\b|\+json\b/i.test(type)) {
    throw invalidArgument(`content-type ${type} is not understood: send application/json`)
  }
  return c.req.text()
}
