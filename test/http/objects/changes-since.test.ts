import { describe, expect, it } from 'vitest'
import { cancelled, deadlineExceeded, unavailable } from '../../../http/errors/failure.js'
import type { Listing } from '../../../http/objects/list/listing.js'
import type { ObjectRequest } from '../../../http/objects/requests/object-requests.js'
import { changesSince, pauseAfter, pauseFor } from '../../../http/objects/watch/changes-since.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'

/** One watch: the versions of its events, how long it was open, and what it fails with. */
interface Watch {
  readonly versions?: readonly string[]
  readonly lastsMs?: number
  readonly error?: Error
}

/** The changes since version 1 over watches that are opened in turn; the last one stays. */
function following(
  watches: readonly Watch[],
  query: Listing<KubeObject>['query'] = { page: 1, pageSize: 0 },
) {
  const pauses: number[] = []
  const sent: ObjectRequest['query'][] = []
  const call = new AbortController()
  let now = 0
  let stays: () => void = () => undefined
  const lastIsOpen = new Promise<void>(resolve => {
    stays = resolve
  })
  const requests = {
    options: { parts: { now: () => now }, pause: async (ms: number) => void pauses.push(ms) },
    async *stream(_call: unknown, _instance: unknown, request: ObjectRequest, opened: () => void) {
      const { versions = [], lastsMs = 0, error } = watches[sent.push(request.query) - 1] ?? {}
      if (sent.length > watches.length) {
        stays()
        await new Promise(() => undefined)
      }
      if (!(error instanceof StatusError)) opened()
      for (const resourceVersion of versions) {
        const object = { metadata: { ...(resourceVersion && { resourceVersion }) } }
        yield Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
      }
      now += lastsMs
      if (error) throw error
    },
  }
  const listing = {
    requests,
    call: { signal: call.signal },
    place: { instance: 'north' },
    type: { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true },
    query,
  } as unknown as Listing<KubeObject>
  const changes = changesSince(listing, '1')
  /** Reads on until the last watch is open, or it fails. */
  const read = async () => {
    const failed = (async () => {
      for await (const _ of changes);
    })()
    failed.catch(() => undefined)
    await Promise.race([failed, lastIsOpen])
  }
  return { changes, read, pauses, sent, call }
}

const cut = unavailable('the connection was reset')
const refused = (code: number) => new StatusError(bareStatus(code, `it is ${code}`))
const times = (count: number, watch: Watch) => Array<Watch>(count).fill(watch)

describe('the changes of a list', () => {
  it('go on after the last version that was read, with the same selectors', async () => {
    const query = { page: 1, pageSize: 0, labelSelector: 'a=b', fieldSelector: 'c=d' }
    const { read, sent } = following([{ versions: ['5', ''] }, { error: cut }], query)
    await read()
    expect(sent.map(one => one?.resourceVersion)).toEqual(['1', '5', '5'])
    for (const one of sent) expect(one).toMatchObject({ labelSelector: 'a=b', fieldSelector: 'c=d' })
  })

  it('pause longer and longer before a watch is opened again that ends right after each bookmark', async () => {
    const { read, pauses } = following(['2', '3', '4', '5', '6'].map(version => ({ versions: [version] })))
    await read()
    const [first = Number.NaN, , , , last] = pauses
    expect(pauses).toHaveLength(5)
    expect(last).toBeGreaterThan(4 * first)
  })

  it('go on at once after a watch that lasted, and after a pause where it was cut or ended at once', async () => {
    const lasting = { lastsMs: 1_000 }
    const { read, pauses } = following([lasting, {}, lasting, { ...lasting, error: cut }, { lastsMs: 999 }])
    await read()
    expect(pauses).toHaveLength(3)
    // The second of them is the first in a row again.
    expect(pauses[1]).toBeLessThanOrEqual(100)
  })

  it.each([
    ['the instance is busy', refused(429)],
    ['the instance fails', refused(500)],
    ['the connection breaks', cut],
    ['the instance does not answer', deadlineExceeded('no answer')],
  ])('are tried eight times in a row where %s', async (_, error) => {
    const { read, sent } = following(times(20, { error }))
    await expect(read()).rejects.toBe(error)
    expect(sent).toHaveLength(8)
  })

  it('fail where watches end at once eight times in a row, with what to do', async () => {
    const { read, sent } = following(times(20, {}))
    await expect(read()).rejects.toThrow('the instance ends its watches at once: try again')
    expect(sent).toHaveLength(8)
  })

  it.each<[string, Watch]>([
    ['lasted', { lastsMs: 1_000, error: cut }],
    ['had a change', { versions: ['7'], error: cut }],
  ])('are tried eight times anew after a watch that %s', async (_, worked) => {
    const { read, sent } = following([...times(7, { error: cut }), worked, ...times(20, { error: cut })])
    await expect(read()).rejects.toBe(cut)
    expect(sent).toHaveLength(16)
  })

  it.each([403, 404, 410])('are refused at once with %i', async code => {
    const { read, sent } = following([{ error: refused(code) }, {}])
    await expect(read()).rejects.toThrow(`it is ${code}`)
    expect(sent).toHaveLength(1)
  })

  it.each<[string, Watch]>([
    ['ends', { versions: ['2'] }],
    ['is cut', { versions: ['2'], error: cut }],
  ])('end with the call’s reason where its watch %s with the call', async (_, watch) => {
    const { changes, call, sent, pauses } = following([watch])
    await changes.next()
    call.abort(cancelled('the caller hung up'))
    await expect(changes.next()).rejects.toThrow('the caller hung up')
    expect([sent.length, pauses.length]).toEqual([1, 0])
  })
})

it('a pause is from 50 ms to 5 s', () => {
  for (let attempts = 0; attempts < 20; attempts += 1) {
    const longest = Math.min(100 * 2 ** attempts, 5_000)
    const pause = pauseAfter(attempts)
    expect(pause).toBeGreaterThanOrEqual(longest / 2)
    expect(pause).toBeLessThanOrEqual(longest)
  }
})

it('a pause ends with its call, with the call’s reason', async () => {
  const call = new AbortController()
  const paused = pauseFor(60_000, call)
  call.abort(cancelled('the caller hung up'))
  await expect(paused).rejects.toThrow('the caller hung up')
})
