import type { RawSink } from '../../../ports/kube-api.js'
import { eachHeader, someName } from '../../../ports/raw-headers.js'
import { warningHeader } from '../../call/answered-from.js'
import type { Route } from '../route/route.js'
import { answerHeaders } from './headers.js'
import { PassingSink } from './passing-sink.js'

const SOURCES = { index: 'the index', karmada: 'Karmada' } as const

/** Says in the head of an answer where it is from, and warns when it is from elsewhere than usual. */
export class SourceHeaders extends PassingSink {
  /**
   * @param more headers to add after these
   * @param begun called when there is an answer
   */
  constructor(
    sink: RawSink,
    readonly route: Route,
    readonly more: readonly string[] = [],
    readonly begun: () => void = () => undefined,
  ) {
    super(sink)
  }

  override head(status: number, message: string, headers: readonly string[]): void {
    const { to, reason, because, fallback } = this.route
    const named = withoutOwn(headers)
    named.push('Kairship-Source', to, 'Kairship-Source-Reason', reason)
    if (this.more.length > 0) named.push(...this.more)
    this.begun()
    if (fallback) named.push('Warning', warningHeader(`answered by ${SOURCES[to]}: ${because}`))
    this.sink.head(status, message, named)
  }
}

/** Whether a header is named as ours are, or takes others along. Two letters are told faster than an expression is tried. */
function changesOwn(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20
  return (first === 0x6b || first === 0x63) && CHANGES_OWN.test(name)
}

const OWN = /^kairship-/i
const CHANGES_OWN = /^(kairship-|connection$)/i

/**
 * What Kairship says of an answer only Kairship says: a program behind an instance, or another Kairship, may say it as well. What
 * belonged to the connection goes here already, as `Connection: Warning` would take ours along afterwards.
 */
function withoutOwn(headers: readonly string[]): string[] {
  // Nearly no answer has one, and then nothing is looked at twice.
  if (!someName(headers, changesOwn)) return headers.slice()
  const kept: string[] = []
  eachHeader(answerHeaders(headers), (name, value) => {
    if (!OWN.test(name)) kept.push(name, value)
  })
  return kept
}
