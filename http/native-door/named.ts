import type { RawSink } from '../../ports/kube-api.js'
import type { Route } from './route.js'

/** A sink that is told in the head where the answer is from, and warned where it is from elsewhere than usual. */
export class Named implements RawSink {
  constructor(
    readonly sink: RawSink,
    readonly route: Route,
  ) {}

  head(status: number, message: string, headers: readonly string[]): void {
    const { to, reason, because, fallback } = this.route
    const said = [...headers, 'Kairship-Source', to, 'Kairship-Source-Reason', reason]
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
