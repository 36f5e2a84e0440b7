import { orAborted } from '../../ports/cancellation.js'
import { Session, type SessionTarget, type StreamedAnswer, type StreamRequest } from './session.js'

/** The sessions that the streams of one endpoint share under one client certificate: one, until it is full. */
export class Sessions {
  #sessions: Session[] = []
  /** The session being opened right now: who comes meanwhile waits for the same one. */
  #opening: Promise<void> | undefined
  #onlyHttp1 = false
  #retired = false

  /** @param closing aborted when everything ends, and nothing is opened any more; only what is open listens to it */
  constructor(
    readonly target: SessionTarget,
    readonly closing: AbortSignal,
  ) {}

  /** Whether the server speaks HTTP/2, which is found out by connecting. @throws as Session.open */
  async speakHttp2(): Promise<boolean> {
    if (!this.#onlyHttp1 && !this.#roomy) await this.#opened()
    return !this.#onlyHttp1
  }

  /** Opens a stream on a session with room, connecting once more where none has. @throws as Session.request */
  async request(request: StreamRequest): Promise<StreamedAnswer> {
    for (;;) {
      this.closing.throwIfAborted()
      const session = this.#roomy
      if (session) return session.request(request)
      await orAborted(this.#opened(), request.signal)
      if (this.#onlyHttp1) throw new Error(`${this.target.origin} does not speak HTTP/2 any more`)
    }
  }

  /** Lets what runs end in its own time. */
  retire(): void {
    this.#retired = true
    for (const session of this.#sessions) session.retire()
  }

  get #roomy(): Session | undefined {
    return this.#sessions.find(session => session.hasRoom)
  }

  #opened(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    try {
      const session = await Session.open(this.target)
      if (!session) this.#onlyHttp1 = true
      else if (this.closing.aborted) session.destroy(this.closing.reason)
      else this.#keep(session)
      // Who waited for it goes first: they take the turn of this promise, and a session that is retired has no room.
      if (this.#retired) setImmediate(() => session?.retire())
    } finally {
      this.#opening = undefined
    }
  }

  #keep(session: Session): void {
    const end = (): void => session.destroy(this.closing.reason)
    this.#sessions.push(session)
    this.closing.addEventListener('abort', end, { once: true })
    session.whenOver(() => {
      this.closing.removeEventListener('abort', end)
      this.#sessions = this.#sessions.filter(other => other !== session)
    })
  }
}
