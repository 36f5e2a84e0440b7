/** Polls a condition of the outside world. */
export async function eventually(
  condition: () => Promise<boolean>,
  what: string,
  timeoutMs = 240_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`)
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
