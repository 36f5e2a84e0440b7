import { describe, expect, it } from 'vitest'
import { answerHeaders } from '../../../../http/proxy/exchange/headers.js'
import { SourceHeaders } from '../../../../http/proxy/exchange/source-headers.js'
import type { Route } from '../../../../http/proxy/route/route.js'
import type { RawSink } from '../../../../ports/kube-api.js'

const route: Route = { to: 'karmada', reason: 'NoResource', because: 'it names none', fallback: false }

/** The headers that an answer of the instance with these ones goes to the caller with. */
function answered(theirs: readonly string[], own: Route = route): readonly string[] {
  let head: readonly string[] = []
  const sink: RawSink = {
    head: (_status, _message, headers) => {
      head = answerHeaders(headers)
    },
    data: () => true,
    end: () => undefined,
    failed: () => undefined,
  }
  new SourceHeaders(sink, own).head(200, 'OK', theirs)
  return head
}
const SOURCE = ['Kairship-Source', 'karmada', 'Kairship-Source-Reason', 'NoResource']

describe('where an answer is from', () => {
  it('is set by Kairship only, for any headers of the instance', () => {
    const theirs = ['Kairship-Source', 'index', 'kairship-index-lag', '0', 'KAIRSHIP-SOURCE-REASON', 'Index']
    expect(answered(['A', 'b', ...theirs])).toEqual(['A', 'b', ...SOURCE])
  })

  it('is set also when the instance names Kairship’s headers in Connection', () => {
    const theirs = [
      'connection',
      'X-Hop, Kairship-Source, Warning',
      'X-Hop',
      '1',
      'Warning',
      '299 theirs "x"',
    ]
    const headers = answered(['A', 'b', ...theirs], { ...route, fallback: true })
    expect(headers.slice(0, 6)).toEqual(['A', 'b', ...SOURCE])
    expect(headers.slice(6)).toEqual(['Warning', expect.stringContaining('it names none')])
  })
})
