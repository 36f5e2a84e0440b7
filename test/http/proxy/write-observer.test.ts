import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Circuit } from '../../../http/proxy/circuit/circuit.js'
import { GuardedSender } from '../../../http/proxy/circuit/circuit-upstream.js'
import { requestInfo } from '../../../http/proxy/route/request-info.js'
import { WriteObserver, writeOf } from '../../../http/proxy/write-observer.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import type { Sender } from '../../../ports/kube-api.js'

type Write = (writer: BinaryWriter) => unknown
const bytes = (...writes: Write[]): Uint8Array => {
  const writer = new BinaryWriter()
  for (const write of writes) write(writer)
  return writer.finish()
}
const message =
  (number: number, ...writes: Write[]): Write =>
  writer =>
    writer.tag(number, WireType.LengthDelimited).bytes(bytes(...writes))
const text =
  (number: number, value: string): Write =>
  writer =>
    writer.tag(number, WireType.LengthDelimited).string(value)
const protobuf = (kind: string, ...object: Write[]): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    bytes(message(1, text(1, 'v1'), text(2, kind)), message(2, ...object)),
  ])

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const made = { kind: 'ConfigMap', metadata: { name: 'x', namespace: 'a', resourceVersion: '77' } }

/** An answer as it passes: what is passed on, and what becomes known of the write, in order. */
function passing(verb = 'create') {
  const order: string[] = []
  let outcome: Outcome | undefined
  const pending = {
    ended: (how: Outcome) => {
      outcome ??= how
      order.push('known')
    },
  }
  const passed: Uint8Array[] = []
  const sink = {
    head: () => void order.push('head'),
    data: (chunk: Uint8Array) => {
      passed.push(chunk)
      return true
    },
    end: () => void order.push('end'),
    failed: () => void order.push('failed'),
  }
  const request = { verb, namespace: 'a', ...(verb !== 'create' && { name: 'x' }) }
  const tapped = new WriteObserver(request, pending, sink)
  const answer = (body: Uint8Array, type = 'application/json', more: string[] = []): Outcome | undefined => {
    tapped.head(201, 'Created', ['Content-Type', type, ...more])
    tapped.data(body)
    tapped.end()
    return outcome
  }
  return { tapped, order, answer, known: () => outcome, passed: () => Buffer.concat(passed) }
}

describe('the answer of a write', () => {
  it('is recorded before its end is forwarded, and is forwarded unchanged, in any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), cuts => {
        const { tapped, order, known, passed } = passing()
        const body = json(made)
        const ends = [...cuts.map(cut => cut % body.length), body.length].sort((a, b) => a - b)
        tapped.head(201, 'Created', ['Content-Type', 'application/json'])
        for (const [index, end] of ends.entries()) tapped.data(body.subarray(ends[index - 1] ?? 0, end))
        tapped.end()
        expect(order).toEqual(['head', 'known', 'end'])
        expect(passed().equals(body)).toBe(true)
        expect(known()).toMatchObject({ name: 'x', expected: { kind: 'present', resourceVersion: '77' } })
      }),
    )
  })

  it('is parsed in protobuf, too', () => {
    const metadata = message(
      1,
      text(1, 'x'),
      text(3, 'a'),
      text(5, 'u'),
      text(6, '77'),
      message(11, text(1, 'k')),
    )
    const data = message(2, text(1, 'a'), text(2, 'b'))
    expect(passing().answer(protobuf('ConfigMap', metadata, data), PROTOBUF)).toMatchObject({
      name: 'x',
      expected: { kind: 'present', resourceVersion: '77' },
    })
    const gone = protobuf('Status', text(2, 'Success'), message(5, text(1, 'x'), text(6, 'u')))
    expect(passing('delete').answer(gone, PROTOBUF)).toMatchObject({ expected: { kind: 'gone', uid: 'u' } })
    const ending = message(1, text(1, 'x'), text(6, '78'), message(9), text(14, 'held'))
    expect(passing('delete').answer(protobuf('ConfigMap', ending), PROTOBUF)).toMatchObject({
      expected: { kind: 'present', resourceVersion: '78' },
    })
  })

  it.each([
    ['is too large', json({ ...made, data: 'x'.repeat(1 << 20) }), 'application/json', []],
    ['is no JSON', Buffer.from('{'), 'application/json', []],
    ['is no protobuf', Buffer.from('k8s\0\xff\xff'), PROTOBUF, []],
    ['is text', Buffer.from('ok'), 'text/plain', []],
    ['is compressed', json(made), 'application/json', ['Content-Encoding', 'gzip']],
  ])('that %s records only that a write happened', (_, body, type, more) => {
    const { answer, passed } = passing()
    expect(answer(body, type, more)).toEqual({ kind: 'unread' })
    expect(passed().equals(body)).toBe(true)
    expect(passing('update').answer(body, type, more)).toMatchObject({
      name: 'x',
      expected: { kind: 'unknown' },
    })
  })

  it('that does not arrive leaves the outcome unknown, unless nothing was sent', () => {
    const broken = (code: string, after: 'head' | 'nothing') => {
      const { tapped, known } = passing()
      if (after === 'head') tapped.head(201, 'Created', ['Content-Type', 'application/json'])
      tapped.failed(Object.assign(new Error('x'), { code }))
      return known()
    }
    expect(broken('ECONNREFUSED', 'nothing')).toEqual({ kind: 'refused' })
    expect(broken('ECONNRESET', 'nothing')).toEqual({ kind: 'lost' })
    expect(broken('ECONNRESET', 'head')).toEqual({ kind: 'unread' })
  })

  it('that an open circuit refused counts as never sent', () => {
    let answered = 0
    const circuit = new Circuit(() => 0)
    const behind: Sender = {
      send: (_, sink) => {
        answered++
        sink.failed(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
        return { resume: () => undefined, abort: () => undefined }
      },
    }
    const upstream = new GuardedSender({ behind, circuit, lifeSign: '/version', now: () => 0 })
    const request = { method: 'PUT', path: '/', headers: [], long: false, headTimeoutMs: 0 }
    const outcomes = Array.from({ length: 6 }, () => {
      const { tapped, known } = passing('update')
      upstream.send(request, tapped)
      return known()?.kind
    })
    expect([answered, circuit.state]).toEqual([5, 'open'])
    expect(outcomes).toEqual(['lost', 'lost', 'lost', 'lost', 'lost', 'refused'])
  })
})

describe('a request counts as a write', () => {
  const pod = '/api/v1/namespaces/a/pods/x'
  it.each([
    ['of an object', 'PUT', pod, true],
    ['of a part of an object', 'PATCH', `${pod}/status`, true],
    ['not where it runs a command', 'POST', `${pod}/exec?command=ls`, false],
    ['not where it attaches a terminal', 'POST', `${pod}/attach`, false],
    ['not where it forwards a port', 'POST', `${pod}/portforward`, false],
    ['not where it is for a program in the pod', 'DELETE', `${pod}/proxy/things/1`, false],
    ['not where it is a dry run', 'PUT', `${pod}?dryRun=All`, false],
    ['not where its path names no type', 'POST', '/apis', false],
  ])('%s: %s %s', (_, method, path, isWrite) => {
    expect(writeOf(requestInfo(method, path), false) !== undefined).toBe(isWrite)
  })
})
