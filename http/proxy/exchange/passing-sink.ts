import type { RawSink } from '../../../ports/kube-api.js'

/** Passes an answer on as it comes. What looks at some part of an answer, or changes it, extends this. */
export class PassingSink implements RawSink {
  constructor(readonly sink: RawSink) {}

  head(status: number, message: string, headers: readonly string[]): void {
    this.sink.head(status, message, headers)
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
