import type { RawSink } from '../../../ports/kube-api.js'
import { PassingSink } from '../exchange/passing-sink.js'

/** A sink whose failures go elsewhere for as long as nothing was answered. */
export class UntilHead extends PassingSink {
  #headSeen = false

  constructor(
    sink: RawSink,
    readonly failedBefore: (error: Error) => void,
  ) {
    super(sink)
  }

  override head(status: number, message: string, headers: readonly string[]): void {
    this.#headSeen = true
    super.head(status, message, headers)
  }

  override failed(error: Error): void {
    if (this.#headSeen) this.sink.failed(error)
    else this.failedBefore(error)
  }
}
