import { describe, expect, it, vi } from 'vitest'
import { type HostList, watchHost } from '../../../http/objects/watch/watch-host.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { UnreachableError, type WatchEvent } from '../../../ports/kube-api.js'

const object = (name: string, version: string, team = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid: name, resourceVersion: version, labels: { team } },
})
const event = (type: WatchEvent['type'], ...of: Parameters<typeof object>): WatchEvent => ({
  type,
  object: object(...of),
})
const bookmark = (resourceVersion: string): WatchEvent => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion } },
})
const status = (code: number) => new StatusError(bareStatus(code, 'no'))
const cut = new UnreachableError('reset', 'ECONNRESET')

/** One watch: its events, and then how it ends. */
type Session = readonly (WatchEvent | Error)[]
type States = Readonly<Record<string, readonly KubeObject[]>>

/** A host with these states, the last of which is the newest, and these watches in turn; after them the reader leaves. */
function hostOf(states: States, sessions: readonly Session[], more: Partial<HostList<KubeObject>> = {}) {
  const reader = new AbortController()
  const opened: string[] = []
  let pauses = 0
  const list: HostList<KubeObject> = {
    async read(version = Object.keys(states).at(-1) ?? '') {
      const objects = states[version]
      if (!objects) throw status(410)
      return { objects, version }
    },
    async *watch(version) {
      const session = sessions[opened.length]
      opened.push(version)
      if (!session) reader.abort(new Error('the reader has left'))
      for (const one of session ?? []) {
        if (one instanceof Error) throw one
        yield one
      }
    },
    matches: () => true,
    signal: reader.signal,
    now: () => 0,
    pause: async () => {
      pauses += 1
    },
    ...more,
  }
  return { list, opened, pauses: () => pauses }
}

async function steps(list: HostList<KubeObject>, since?: Parameters<typeof watchHost>[1]) {
  const said: unknown[][] = []
  const marks: Parameters<typeof watchHost>[1][] = []
  let failure: unknown
  try {
    for await (const step of watchHost(list, since)) {
      const known = step.known ? ['known'] : []
      said.push([step.type, step.total, ...('object' in step ? [step.object.metadata.name] : []), ...known])
      marks.push(step.mark)
    }
  } catch (error) {
    failure = error
  }
  return { said, marks, failure }
}

describe('a list of the host that is followed', () => {
  it('shows what is there by name, then each change with how many match', async () => {
    const { list } = hostOf({ 5: [object('b', '2'), object('a', '1')] }, [
      [event('ADDED', 'c', '6'), event('MODIFIED', 'a', '7'), bookmark('8'), event('DELETED', 'b', '9')],
    ])
    const { said, marks, failure } = await steps(list)
    expect(said).toEqual([
      ['RESET', 0],
      ['ADDED', 1, 'a'],
      ['ADDED', 2, 'b'],
      ['BOOKMARK', 2],
      ['ADDED', 3, 'c'],
      ['MODIFIED', 3, 'a'],
      ['BOOKMARK', 3],
      ['DELETED', 2, 'b'],
    ])
    expect(marks.map(mark => mark?.version)).toEqual([
      ...[undefined, undefined, undefined, '5', '6', '7', '8', '9'],
    ])
    expect(failure).toMatchObject({ message: 'the reader has left' })
  })

  it('reports an object that no longer matches as LEFT, and changes of those that never did not at all', async () => {
    const matches = ({ metadata }: KubeObject) => metadata.labels?.team === 'a'
    const session = [
      event('MODIFIED', 'a', '6', 'b'),
      event('MODIFIED', 'b', '7', 'b'),
      event('DELETED', 'b', '8', 'b'),
      event('MODIFIED', 'a', '9'),
    ]
    const { list } = hostOf({ 5: [object('a', '1'), object('b', '2', 'b')] }, [session], { matches })
    expect((await steps(list)).said.slice(3)).toEqual([
      ['LEFT', 0, 'a'],
      ['ADDED', 1, 'a'],
    ])
  })

  it.each([
    ['ends', []],
    ['is cut', [cut]],
    ['is refused for now', [status(503)]],
    ['is one too many for now', [status(429)]],
  ])('goes on after the last change where a watch %s', async (_, end) => {
    const { list, opened } = hostOf({ 5: [] }, [
      [event('ADDED', 'a', '6'), ...end],
      [event('MODIFIED', 'a', '7')],
    ])
    expect((await steps(list)).said.slice(2)).toEqual([
      ['ADDED', 1, 'a'],
      ['MODIFIED', 1, 'a'],
    ])
    expect(opened).toEqual(['5', '6', '7'])
  })

  it.each([
    ['refuses the watch', status(410)],
    ['says so in the watch', { type: 'ERROR', object: { ...bareStatus(410, 'old'), reason: 'Expired' } }],
    ['does not serve the type at the moment', status(404)],
  ] as const)('starts over where the host forgot the changes and %s', async (_, end) => {
    const { list, pauses } = hostOf({ 5: [object('a', '1')] }, [[end]])
    const all = [
      ['RESET', 0],
      ['ADDED', 1, 'a'],
      ['BOOKMARK', 1],
    ] as const
    expect((await steps(list)).said).toEqual([...all, ...all])
    expect(pauses()).toBe(1)
  })

  it('fails with the refusal of a watch, and with the last failure after eight attempts', async () => {
    expect((await steps(hostOf({ 5: [] }, [[status(403)]]).list)).failure).toMatchObject({ code: 403 })
    const { list, opened } = hostOf({ 5: [] }, Array(20).fill([cut]))
    expect((await steps(list)).failure).toBe(cut)
    expect(opened).toHaveLength(8)
    const closing = hostOf({ 5: [] }, Array(20).fill([])).list
    expect((await steps(closing)).failure).toMatchObject({ message: expect.stringContaining('ends its') })
  })

  it('goes on after a mark, and starts over where the state of the mark is another or gone', async () => {
    const states = { 5: [object('a', '1')], 9: [object('b', '9')] }
    const old = { 5: states[5] }
    const [mark] = (await steps(hostOf(old, []).list)).marks.slice(-1)
    const resumed = await steps(hostOf(states, [[event('ADDED', 'b', '9')]]).list, mark)
    expect(resumed.said).toEqual([
      ['ADDED', 1, 'a', 'known'],
      ['BOOKMARK', 1],
      ['ADDED', 2, 'b'],
    ])
    const replaced = hostOf({ 5: [object('x', '1')] }, []).list
    expect((await steps(replaced, mark)).said[0]).toEqual(['RESET', 0])
    const gone = hostOf({ 9: states[9] }, []).list
    expect((await steps(gone, mark)).said[0]).toEqual(['RESET', 0])
  })

  it.each([400, 410, 500, 504])(
    'starts over where the host answers %i for the state of a mark',
    async code => {
      const { list } = hostOf({ 5: [object('a', '1')] }, [])
      const [mark] = (await steps(list)).marks.slice(-1)
      const read: typeof list.read = async version => {
        if (version !== undefined) throw status(code)
        return list.read()
      }
      expect((await steps({ ...list, read }, mark)).said[0]).toEqual(['RESET', 0])
    },
  )

  it('fails where the host refuses the state of a mark', async () => {
    const { list } = hostOf({ 5: [object('a', '1')] }, [])
    const [mark] = (await steps(list)).marks.slice(-1)
    const read: typeof list.read = async version => {
      if (version !== undefined) throw status(403)
      return list.read()
    }
    const refused = await steps({ ...list, read }, mark)
    expect(refused).toMatchObject({ said: [], failure: { code: 403 } })
  })

  it('goes on after a mark of those that match, and starts over when the host forgets after it', async () => {
    const matches = ({ metadata }: KubeObject) => metadata.labels?.team === 'a'
    const states = { 5: [object('a', '1'), object('b', '2', 'b')] }
    const [mark] = (await steps(hostOf(states, [], { matches }).list)).marks.slice(-1)
    const { said } = await steps(hostOf(states, [[status(410)]], { matches }).list, mark)
    expect(said).toEqual([
      ['ADDED', 1, 'a', 'known'],
      ['BOOKMARK', 1],
      ['RESET', 0],
      ['ADDED', 1, 'a'],
      ['BOOKMARK', 1],
    ])
  })

  it('goes on for as long as each watch has a change, and pauses before the next one only where it broke', async () => {
    const versions = Array.from({ length: 20 }, (_, index) => String(index + 6))
    const broken = versions.map(version => [event('MODIFIED', 'a', version), cut])
    const breaks = hostOf({ 5: [object('a', '1')] }, broken)
    const { said, failure } = await steps(breaks.list)
    expect(failure).toMatchObject({ message: 'the reader has left' })
    expect(said).toHaveLength(3 + versions.length)
    expect(breaks.pauses()).toBe(versions.length)
    const ended = hostOf({ 5: [object('a', '1')] }, [[event('MODIFIED', 'a', '6')]])
    await steps(ended.list)
    expect(ended.pauses()).toBe(0)
  })

  it('opens the watch again after five minutes of silence, for its connection may have died', async () => {
    vi.useFakeTimers()
    try {
      const opened: string[] = []
      const { list } = hostOf({ 5: [] }, [])
      const watching = watchHost({
        ...list,
        async *watch(version, signal) {
          opened.push(version)
          if (opened.length === 2) yield event('ADDED', 'a', '6')
          else await new Promise(resolve => signal.addEventListener('abort', resolve))
        },
      })
      for (const type of ['RESET', 'BOOKMARK']) expect((await watching.next()).value).toMatchObject({ type })
      const next = watching.next()
      await vi.advanceTimersByTimeAsync(5 * 60_000 - 1)
      expect(opened).toEqual(['5'])
      await vi.advanceTimersByTimeAsync(1)
      expect((await next).value).toMatchObject({ type: 'ADDED', total: 1 })
      expect(opened).toEqual(['5', '5'])
      await watching.return()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
