import type { Context } from 'hono'
import type { RestEnv } from './env.js'

/** What an audit record has of a request, whatever it was for. */
export function originOf({ req, var: { remote } }: Context<RestEnv>) {
  const userAgent = req.header('user-agent')
  return { uri: req.path, ...(userAgent && { userAgent }), ...(remote && { remote }) }
}
