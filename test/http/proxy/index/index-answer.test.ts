import { describe, expect, it } from 'vitest'
import {
  BEHIND,
  EMPTY,
  IndexAnswer,
  type IndexRead,
  NOT_FOUND,
} from '../../../../http/proxy/index/index-answer.js'
import type { RawSink, Sender } from '../../../../ports/kube-api.js'

const mark = '"shadow.clusterpedia.io/cluster-name":"k-x"'
const JSON_TYPE = ['Content-Type', 'application/json']

/** An index that a test answers for, and what its reader hears. */
function asked(more: Partial<IndexRead> = {}) {
  const heard: string[] = []
  let answer!: RawSink
  const upstream: Sender = {
    send: (_, sink) => {
      answer = sink
      return { resume: () => undefined, abort: error => sink.failed(error) }
    },
  }
  const sink: RawSink = {
    head: (status, _, headers) => heard.push(`${status} ${headers.join()}`),
    data: chunk => {
      heard.push(Buffer.from(chunk).toString())
      return false
    },
    end: () => heard.push('end'),
    failed: error => heard.push(`failed: ${error.message}`),
  }
  const read = { target: '/x', accept: 'application/json', long: false, mark, ...more }
  const exchange = new IndexAnswer(read, sink, because => heard.push(`refused: ${because}`)).readFrom(
    upstream,
  )
  return { heard, answer, exchange }
}

const list = (version: string | undefined, items = '') =>
  Buffer.from(
    `{"kind":"List","metadata":{${version === undefined ? '' : `"resourceVersion":"${version}"`}},"items":[${items}]}`,
  )

describe('an answer of the index', () => {
  it('is passed on without Content-Length and the index’s own annotations', () => {
    const { heard, answer } = asked()
    answer.head(200, 'OK', [...JSON_TYPE, 'Content-Length', '99', 'Audit-Id', 'a', 'X-Served-By', 'b'])
    expect(
      answer.data(Buffer.from(`{"metadata":{"annotations":{${mark}},"name":"x"}${' '.repeat(200)}`)),
    ).toBe(false)
    answer.data(Buffer.from('}'))
    answer.end()
    expect(heard[0]).toBe('200 Content-Type,application/json,Audit-Id,a')
    expect(heard.slice(1, -1).join('').replaceAll(' ', '')).toBe('{"metadata":{"name":"x"}}')
    expect(heard.at(-1)).toBe('end')
  })

  it('has each header once, although the host’s API server repeats those of the server behind it', () => {
    const { heard, answer } = asked()
    const doubled = ['Audit-Id', 'of the host', 'Cache-Control', 'no-cache, private']
    answer.head(200, 'OK', [...doubled, 'Audit-Id', 'of the index', ...JSON_TYPE, ...doubled.slice(2)])
    answer.data(Buffer.from('{"metadata":{"name":"x"}}'))
    answer.end()
    expect(heard[0]).toBe(
      '200 Audit-Id,of the host,Cache-Control,no-cache, private,Content-Type,application/json',
    )
  })

  it('that may be out of date is passed on for an unreachable instance', () => {
    const { heard, answer } = asked({ mayBeOld: true })
    answer.head(200, 'OK', [...JSON_TYPE, 'Warning', '299 - "k-x is not ready"'])
    answer.data(Buffer.from('{"metadata":{"name":"x"}}'))
    expect(heard[0]).toBe('200 Content-Type,application/json')
  })

  it.each([
    [500, JSON_TYPE, 'it answered 500'],
    [503, ['Content-Type', 'text/plain'], 'it answered 503'],
    [403, JSON_TYPE, 'it answered 403'],
    [404, JSON_TYPE, NOT_FOUND],
    [200, ['Content-Type', 'text/plain'], 'it answered with text/plain'],
    [200, [...JSON_TYPE, 'Content-Encoding', 'gzip'], 'it answered in gzip'],
    [200, [...JSON_TYPE, 'Warning', '299 - "k-x is not ready"'], 'it says that it may be out of date'],
  ])('with %i and %j is not passed on', (status, headers, because) => {
    const { heard, answer } = asked()
    answer.head(status, '', headers)
    answer.data(Buffer.from('{}'))
    answer.end()
    expect(heard).toEqual([`refused: ${because}`])
  })

  it.each([
    ['{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}'],
    ['[{"metadata":{}}]'],
    ['<html>502</html>'],
    ['null'],
    [''],
  ])('with 200 and %j is not passed on', body => {
    for (const pieces of [[body], [...body]]) {
      const { heard, answer } = asked()
      answer.head(200, 'OK', JSON_TYPE)
      for (const piece of pieces) answer.data(Buffer.from(piece))
      answer.end()
      expect(heard).toEqual(['refused: it answered 200 with what is no object'])
    }
  })

  it('to a watch begins before the first event', () => {
    const { heard, answer } = asked({ long: true })
    answer.head(200, 'OK', JSON_TYPE)
    expect(heard).toEqual(['200 Content-Type,application/json'])
  })

  it('that does not arrive falls back; one that breaks breaks for the caller', () => {
    const none = asked()
    none.answer.failed(new Error('connect ECONNREFUSED'))
    expect(none.heard).toEqual(['refused: it did not answer: connect ECONNREFUSED'])
    const half = asked()
    half.answer.head(200, 'OK', JSON_TYPE)
    half.answer.data(list('1'))
    half.answer.failed(new Error('reset'))
    expect([half.heard[0], half.heard.at(-1)]).toEqual(['200 Content-Type,application/json', 'failed: reset'])
    const nothing = asked()
    nothing.answer.head(200, 'OK', JSON_TYPE)
    nothing.answer.failed(new Error('reset'))
    expect(nothing.heard).toEqual(['refused: it did not answer: reset'])
  })

  it('is not repeated elsewhere when its reader aborts', () => {
    const { heard, exchange } = asked()
    exchange.abort(new Error('hung up'))
    expect(heard).toEqual(['refused: it did not answer: hung up'])
  })

  it.each<[string, string | undefined]>([
    ['{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}', EMPTY],
    ['{"kind":"PartialObjectMetadataList","metadata":{},"items":null}', EMPTY],
    ['{"apiVersion":"x/v1","items":[ ],"kind":"XList"}', EMPTY],
    [`{"metadata":{"note":"${'x'.repeat(5_000)}"},"items":[]}`, EMPTY],
    ['{"kind":"ConfigMap","metadata":{}}', EMPTY],
    [list(undefined, '{"metadata":{}}').toString(), undefined],
    ['{"apiVersion":"x/v1","items": [\n{"metadata":{}}],"kind":"XList"}', undefined],
  ])('that must not be an empty list is held until an object begins: %#', (body, because) => {
    for (const pieces of [[body], [...body]]) {
      const { heard, answer } = asked({ refuseEmpty: true })
      answer.head(200, 'OK', JSON_TYPE)
      for (const piece of pieces) answer.data(Buffer.from(piece))
      answer.end()
      if (because !== undefined) expect(heard).toEqual([`refused: ${because}`])
      else expect(heard.slice(1, -1).join('')).toBe(body)
    }
  })

  it.each([
    ['120', ['200 Content-Type,application/json', 'end']],
    ['119', [`refused: ${BEHIND}`]],
    [undefined, ['refused: it does not know the type yet']],
  ])('to a list at %s is held until its version is known to be new enough', (version, told) => {
    const { heard, answer } = asked({ showsAtLeast: shown => BigInt(shown) >= 120n })
    answer.head(200, 'OK', JSON_TYPE)
    const body = list(version, '{"metadata":{"resourceVersion":"500"}}')
    for (const byte of body) {
      const goOn = answer.data(Buffer.from([byte]))
      if (heard.length === 0) expect(goOn).toBe(true)
    }
    answer.end()
    expect(heard.filter(line => !line.startsWith('{') && /^(\d+ |end|refused)/.test(line))).toEqual(told)
    if (version === '120') expect(heard.slice(1, -1).join('')).toBe(body.toString())
  })
})
