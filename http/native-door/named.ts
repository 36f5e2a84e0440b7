import type { RawSink } from '../../ports/kube-api.js'
import type { Route } from './route.js'

/** A sink that is told in the head where the answer is from, and warned where it is from elsewhere than usual. */
export class Named implements RawSink {
  /**
   * @param more headers that are said after that
   * @param begun called when there is an answer
   */
  constructor(
    readonly sink: RawSink,
    readonly route: Route,
    readonly more: readonly string[] = [],
    readonly begun: () => void = () => undefined,
  ) {}

  head(status: number, message: string, headers: readonly string[]): void {
    const { to, reason, because, fallback } = this.route
    const said = [...headers, 'Kairship-Source', to, 'Kairship-Source-Reason', reason, ...this.more]
    this.begun()
    if (fallback) said.push('Warning', warning(`answered by Karmada: ${because}`))
    this.sink.head(status, message, said)
  }

  data(chunk: Uint8Array): boolean {
    return this.sink.data(chunk)
  }

  end(): void {
    this.sink.end()
  }

  failed(error: Error): void {
    this.sink.failed(error)
  }
}

/** A warning as kubectl and client-go show it (RFC 7234, code 299). */
const warning = (text: string): string =>
  `299 kairship ${JSON.stringify(text.replaceAll(/[^ -~]/g, character => (character === '’' ? "'" : '?')))}`
