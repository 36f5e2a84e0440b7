import type { Route, WebSocketRoute } from 'playwright-core'

/** What a page sends over the socket of its streams: it begins one, or gives one up. */
interface Frame {
  readonly open?: number
  readonly path?: string
}

/** What refuses the watch of a list that is too long for it, as the server answers it. */
const TOO_LARGE = {
  code: 9,
  message: 'there are more than 10000 configmaps',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      ...{ reason: 'ListTooLarge', domain: 'kairship.io', metadata: {} },
    },
  ],
}

/**
 * A list of very many ConfigMaps of one instance, between a page and its server: an index holds such lists, and neither the playground nor a
 * stand-in for a fleet has one.
 */
export class StandInList {
  /** Pages that were asked for. */
  requests = 0

  /** @param answerMs how long an answer is on its way, milliseconds */
  constructor(
    readonly instance: string,
    public rows: number,
    private readonly answerMs = 0,
  ) {}

  /** Answers a List. */
  async answer(route: Route): Promise<void> {
    this.requests += 1
    const query = new URL(route.request().url()).searchParams
    const [page, pageSize] = [Number(query.get('page')), Number(query.get('pageSize'))]
    const first = (page - 1) * pageSize
    const length = Math.max(0, Math.min(pageSize, this.rows - first))
    const items = Array.from({ length }, (_, n) => this.object(first + n))
    const { rows: total } = this
    if (this.answerMs > 0) await new Promise(resolve => setTimeout(resolve, this.answerMs))
    await route
      .fulfill({ json: { items, pagination: { total, page, pageSize }, places: [] } })
      // The page has given it up.
      .catch(() => undefined)
  }

  /** Refuses the watch of the whole list; what else its page opens is for `others`. */
  refuseWatch(socket: WebSocketRoute, others: (frame: Frame, message: string | Buffer) => void): void {
    socket.onMessage(message => {
      const frame = JSON.parse(String(message)) as Frame
      const { open: id, path = '' } = frame
      if (!path.includes('/fleet/objects:watch') || path.includes('changesOnly=true'))
        return others(frame, message)
      for (const part of [{ status: 400 }, { text: JSON.stringify(TOO_LARGE) }, { end: true }])
        socket.send(JSON.stringify({ id, ...part }))
    })
  }

  object(n: number, version = 1) {
    const name = this.nameOf(n)
    return {
      ...{ instance: this.instance, apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: {
        ...{ name, namespace: 'default', uid: name, resourceVersion: String(version) },
        creationTimestamp: String(1_790_000_000_000 + n * 1_000),
      },
    }
  }

  nameOf(n: number): string {
    return `config-${String(n).padStart(7, '0')}`
  }
}
