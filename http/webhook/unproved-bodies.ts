import { invalidArgument, resourceExhausted } from '../errors/failure.js'

/**
 * Bodies that are read before their sender is known: anyone may have sent the headers before them. When there are too many, the one that takes the
 * longest is given up for the next. A sender's own body arrives with its headers; only those who hold back theirs wait long.
 */
export class UnprovedBodies {
  /** What gives up each, the oldest first. */
  readonly #underWay = new Set<() => void>()

  /**
   * @param limits.most bodies that are read at once
   * @param limits.mostBytes of each
   */
  constructor(private readonly limits: { readonly most: number; readonly mostBytes: number }) {}

  /**
   * Reads a body.
   * @throws Failure RESOURCE_EXHAUSTED when it was given up for another, INVALID_ARGUMENT for one that is too large; what its sender's end
   *   fails with
   */
  async read(body: ReadableStream<Uint8Array> | null): Promise<Buffer> {
    if (!body) return Buffer.alloc(0)
    const { most, mostBytes } = this.limits
    const reader = body.getReader()
    let isGivenUp = false
    const giveUp = () => {
      isGivenUp = true
      // What is left of it is nobody's, and so is its failure.
      reader.cancel().catch(() => undefined)
    }
    const [oldest] = this.#underWay.size >= most ? this.#underWay : []
    if (oldest) {
      this.#underWay.delete(oldest)
      oldest()
    }
    this.#underWay.add(giveUp)
    try {
      const chunks: Uint8Array[] = []
      let bytes = 0
      for (;;) {
        const { done, value } = await reader.read()
        if (isGivenUp) throw givenUp()
        if (done) return Buffer.concat(chunks)
        bytes += value.length
        if (bytes > mostBytes) {
          reader.cancel().catch(() => undefined)
          throw invalidArgument(`the body is larger than ${mostBytes} bytes`)
        }
        chunks.push(value)
      }
    } finally {
      this.#underWay.delete(giveUp)
    }
  }
}

const givenUp = () =>
  resourceExhausted('the body took longer than those of many other deliveries: send it again, at once', {
    retryAfterSeconds: 1,
  })
