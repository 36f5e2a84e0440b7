import type { ServerResponse } from 'node:http'

/** The answers that are under way: a listener that closes lets their last bytes out first. */
export class Answering {
  readonly #open = new Set<ServerResponse>()
  #emptied: (() => void) | undefined
  #closing = false

  /** True from when `finish` was called: no connection is taken any more. */
  get isClosing(): boolean {
    return this.#closing
  }

  add(response: ServerResponse, httpVersion: number): void {
    this.#open.add(response)
    if (this.#closing && httpVersion < 2) response.setHeader('Connection', 'close')
    response.once('close', () => {
      this.#open.delete(response)
      if (this.#open.size === 0) this.#emptied?.()
    })
  }

  /** Resolves when all answers are out, or when the time is over. */
  async finish(graceMs: number): Promise<void> {
    this.#closing = true
    if (this.#open.size === 0) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, graceMs)
      this.#emptied = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
