import { type KubeApi, UnreachableError } from '../../ports/kube-api.js'

/** The host is asked for a sign of life this often, milliseconds. */
const EVERY_MS = 5_000
/** It gives one within this time, milliseconds, or was not heard. */
const PATIENCE_MS = 4_000

/** The clock and the timer of a pulse. */
export interface PulseTime {
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number
  /** Runs work again and again; returns what ends that. */
  readonly every: (ms: number, work: () => void) => () => void
}

/**
 * Whether the host is there. Watches do not tell: on one that breaks without a word, or of a host that hangs, nothing comes until its time is over, as when
 * nothing changes. What is known of the host would count all that time.
 */
export class HostPulse {
  #heardAt: number
  #isSilent = false
  #isAsking = false
  #stop: (() => void) | undefined

  constructor(
    private readonly api: Pick<KubeApi, 'request'>,
    private readonly time: PulseTime = { now: () => performance.now(), every },
  ) {
    this.#heardAt = time.now()
  }

  /** For how long the host has given no sign of life, milliseconds; 0 while it answers. */
  get silentForMs(): number {
    return this.#isSilent ? this.time.now() - this.#heardAt : 0
  }

  start(): void {
    this.#heardAt = this.time.now()
    this.#stop ??= this.time.every(EVERY_MS, () => void this.#ask())
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const askedAt = this.time.now()
    try {
      await this.api.request({ method: 'GET', path: '/readyz', timeoutMs: PATIENCE_MS })
      this.#heard(askedAt)
    } catch (error) {
      // A host that says no is there.
      if (error instanceof UnreachableError) this.#isSilent = true
      else this.#heard(askedAt)
    } finally {
      this.#isAsking = false
    }
  }

  #heard(at: number): void {
    this.#heardAt = at
    this.#isSilent = false
  }
}

function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  timer.unref()
  return () => clearInterval(timer)
}
