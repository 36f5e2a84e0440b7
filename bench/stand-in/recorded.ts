import { StatusError } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { StandInAnswer, StandInRequest } from './listener.js'

/** Answers of one real control plane, kept as text: each request is sent to it once, whoever asks. */
export class RecordedAnswers {
  readonly #answers = new Map<string, Promise<StandInAnswer & { readonly text: string }>>()

  constructor(private readonly recorded: KubeApi) {}

  /** The answer to a read. Watches are silent but for a bookmark in each minute, which kube-apiserver sends. */
  async answer(request: StandInRequest): Promise<StandInAnswer> {
    if (request.query.get('watch') === 'true') return watch(request.query)
    const key = `${request.path}?${request.query}#${request.accept}`
    const known = this.#answers.get(key) ?? this.#ask(request)
    this.#answers.set(key, known)
    return known
  }

  async #ask({ path, query, accept }: StandInRequest): Promise<StandInAnswer & { readonly text: string }> {
    try {
      const answer = await this.recorded.request<unknown>({
        method: 'GET',
        path,
        query: Object.fromEntries(query),
        accept,
      })
      if (typeof answer === 'string') return { code: 200, text: answer, contentType: 'text/plain' }
      return { code: 200, text: JSON.stringify(answer) }
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return { code: error.code, text: JSON.stringify(error.status) }
    }
  }
}

const BOOKMARK_MS = 60_000

function watch(query: URLSearchParams): StandInAnswer {
  const metadata = { resourceVersion: query.get('resourceVersion'), creationTimestamp: null }
  const bookmark = `${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`
  return {
    watch: (line, end) => {
      const marks = setInterval(() => line(bookmark), BOOKMARK_MS).unref()
      const over = setTimeout(end, Number(query.get('timeoutSeconds') ?? 600) * 1000).unref()
      return () => {
        clearInterval(marks)
        clearTimeout(over)
      }
    },
  }
}
