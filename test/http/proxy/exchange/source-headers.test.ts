import { expect, it } from 'vitest'
import { SourceHeaders } from '../../../../http/proxy/exchange/source-headers.js'
import type { Route } from '../../../../http/proxy/route/route.js'
import type { RawSink } from '../../../../ports/kube-api.js'

const route: Route = { to: 'karmada', reason: 'NoResource', because: 'it names none', fallback: false }

it('where an answer is from is said by Kairship alone, whatever the instance says', () => {
  const heads: (readonly string[])[] = []
  const sink: RawSink = {
    head: (_status, _message, headers) => void heads.push(headers),
    data: () => true,
    end: () => undefined,
    failed: () => undefined,
  }
  const theirs = ['Kairship-Source', 'index', 'kairship-index-lag', '0', 'KAIRSHIP-SOURCE-REASON', 'Index']
  new SourceHeaders(sink, route).head(200, 'OK', ['A', 'b', ...theirs])
  expect(heads).toEqual([['A', 'b', 'Kairship-Source', 'karmada', 'Kairship-Source-Reason', 'NoResource']])
})
