import { Agent, request } from 'undici'
import type { Way } from './wrk.js'

/** How long a way may take until it leads somewhere, and then until its answers are from where they should be. */
const PATIENCE_MS = 240_000

/**
 * Waits until this is answered, and for a while until it is by this source.
 * @returns which one it was
 * @throws Error with the last answer when there is no good one in time
 */
export async function reachable(
  { name, url, token }: Way,
  path: string,
  say: (line: string) => void,
  source = '',
): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  try {
    for (;;) {
      const headers = token ? { authorization: `Bearer ${token}` } : {}
      const answer = await request(url + path, { dispatcher, headers })
      const text = await answer.body.text()
      const from = String(answer.headers['kairship-source'])
      const late = performance.now() > until
      if (answer.statusCode === 200 && (from.startsWith(source) || late)) return from
      const what = `${name} answers ${answer.statusCode} from ${from}: ${text.slice(0, 200)}`
      if (late) throw new Error(what)
      say(what)
      await new Promise(resolve => setTimeout(resolve, 500))
    }
  } finally {
    await dispatcher.close()
  }
}
