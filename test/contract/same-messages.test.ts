import type { JsonValue } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Answered, Wire } from './api.js'
import { askBoth, comparable, expectSameWrites } from './same-messages.js'

const answered = (json: JsonValue, status = 200): Answered => ({
  ...{ ok: status === 200, status, json, text: '' },
})
/** Calls that are answered in this order, and over which wire each was made. */
const inOrder = (...answers: Answered[]) => {
  const wires: Wire[] = []
  const call = async (wire: Wire) => {
    wires.push(wire)
    return answers[wires.length - 1]!
  }
  return { wires, call }
}
/** Calls that are always answered so over each wire. */
const always = (rest: Answered, grpc: Answered) => async (wire: Wire) => (wire === 'rest' ? rest : grpc)

describe('a call over both wires', () => {
  it('has the answer that both gave', async () => {
    const { wires, call } = inOrder(answered({ a: 1 }), answered({ a: 1 }))
    expect((await askBoth('Get', 'grpc', call)).json).toEqual({ a: 1 })
    expect(wires).toEqual(['grpc', 'rest'])
  })

  it('is made again where the answer changed in between', async () => {
    const [old, now] = [answered({ a: 1 }), answered({ a: 2 })]
    const { wires, call } = inOrder(old, now, now, now)
    expect((await askBoth('Get', 'rest', call)).json).toEqual({ a: 2 })
    expect(wires).toEqual(['rest', 'grpc', 'rest', 'grpc'])
  })

  it('is made again where the answer changed twice in between', async () => {
    const [one, two] = [answered({ a: 1 }), answered({ a: 2 })]
    const { call } = inOrder(one, two, one, one)
    expect((await askBoth('Get', 'rest', call)).json).toEqual({ a: 1 })
  })

  it.each([
    [{ spec: { a: 0 } }, { spec: {} }, 'json.spec.a is 0 over rest and undefined over grpc'],
    [{ items: [] }, { items: null }, 'json.items is [] over rest and null over grpc'],
  ])('fails for %j and %j', async (one, other, message) => {
    const call = always(answered(one), answered(other))
    await expect(askBoth('Get', 'rest', call)).rejects.toThrow(`Get is answered differently: ${message}`)
  })

  it('fails for two refusals that differ in status or details, and not in the id of the request', async () => {
    const refusal = (id: string, code: number, status: number) =>
      answered({ code, details: [{ '@type': 'type.googleapis.com/google.rpc.RequestInfo', id }] }, status)
    const asked = (other: Answered) => askBoth('Get', 'rest', always(refusal('1', 5, 404), other))
    expect((await asked(refusal('2', 5, 404))).status).toBe(404)
    await expect(asked(refusal('2', 6, 404))).rejects.toThrow('json.code is 5 over rest and 6 over grpc')
    await expect(asked(refusal('2', 5, 409))).rejects.toThrow('status is 404 over rest and 409 over grpc')
  })
})

describe('what two runs wrote', () => {
  const [uid, other] = ['2de09aed-437a-4b73-a588-b1484ffe5f47', '37510b1f-a885-471e-854f-fc9934536311']
  const manifest = (run: number, id: string, more = {}) => {
    const metadata = { name: `web-run-${run}`, uid: id, resourceVersion: String(run), [`run-${run}`]: 'x' }
    return { data: JSON.stringify({ metadata, spec: { clusterIP: `10.0.0.${run}`, ...more } }) }
  }
  const run = (number: number, ...written: JsonValue[]) => ({
    unique: `run-${number}`,
    written: written.map(json => ({ rpc: 'Create', json })),
  })

  it('is the same but for names, ids, versions, addresses, times and what controllers write', () => {
    const [one, two] = [manifest(1, uid, { at: '2026-11-23T15:00:00Z' }), manifest(2, other)]
    const later = manifest(2, other, { at: '2026-11-23T15:00:01.5Z' })
    expect(() => expectSameWrites(run(1, one), run(2, later))).not.toThrow()
    expect(() => expectSameWrites(run(1, one), run(2, two))).toThrow(
      '"TIME" over rest and undefined over grpc',
    )
    const [early, late] = [{ status: {} }, { status: { phase: 'Active' } }]
    expect(() => expectSameWrites(run(1, early), run(2, late))).not.toThrow()
  })

  it.each([
    [
      'a value',
      manifest(2, other, { replicas: 2 }),
      '0.json.data.spec.replicas is undefined over rest and 2',
    ],
    ['a version that is empty', { data: manifest(2, other).data.replace('"2"', '""') }, 'resourceVersion'],
    ['a uid that is none', manifest(2, 'none'), '0.json.data.metadata.uid is "UUID" over rest and "none"'],
  ])('differs in %s', (_, answer, message) => {
    expect(() => expectSameWrites(run(1, manifest(1, uid)), run(2, answer))).toThrow(message)
  })

  it('differs when one run wrote more', () => {
    expect(() => expectSameWrites(run(1, {}), run(2, {}, {}))).toThrow('1 is undefined over rest')
  })

  it('keeps, of an operation, what is made up in another', () => {
    expect(comparable('CreateCloudShell', { name: 'east-1f', generation: '2' }, 'run-1')).toEqual({
      name: 'OWN',
      generation: '2',
    })
    expect(comparable('CreateIngress', { name: 'east-1f' }, 'run-1')).toEqual({ name: 'east-1f' })
  })
})
