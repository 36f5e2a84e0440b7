import type { Context } from 'hono'
import type { RestEnv } from './env.js'

/** What an audit record has of a request, whatever it was for. A request that a socket carries has its client's name on that socket's own. */
export function originOf({ req, env, var: { remote } }: Context<RestEnv>) {
  const userAgent = req.header('user-agent') ?? env.incoming?.headers['user-agent']
  return { uri: req.path, ...(userAgent && { userAgent }), ...(remote && { remote }) }
}
