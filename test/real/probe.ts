/**
 * Polls a condition of the outside world.
 * @param condition may throw until it holds: an engine that comes back refuses connections, and objects lack what is looked at.
 * What must never be seen on the way is not looked for in here
 * @param what told when it never holds, with what it threw last; a function is asked then, and can add what was seen last
 */
export async function eventually(
  condition: () => Promise<boolean>,
  what: string | (() => string),
  timeoutMs = 240_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    let problem: unknown
    try {
      if (await condition()) return
    } catch (thrown) {
      problem = thrown
    }
    if (Date.now() > deadline)
      throw new Error(`waited ${timeoutMs / 1000} s in vain: ${typeof what === 'string' ? what : what()}`, {
        cause: problem,
      })
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

/** True once a health endpoint without TLS answers 200. */
export async function answersHttp(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.body?.cancel()
    return response.ok
  } catch {
    // Not listening yet; the engine's own deadline decides.
    return false
  }
}
