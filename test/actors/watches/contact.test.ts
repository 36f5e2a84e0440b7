import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Collection } from '../../../actors/watches/collection.js'
import { watchedType } from '../../../actors/watches/watched-type.js'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { unmetered } from '../../silent.js'

const THINGS = { group: '', version: 'v1', resource: 'things' } as const

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Resolves after that many milliseconds; rejects when the signal aborts before. */
const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
const reset = () => new Error('read ECONNRESET')
const refused = () => new StatusError({ ...bareStatus(403, 'no'), reason: 'Forbidden' })

/**
 * An API server with one empty type, behind a network. Like a real one it answers a watch with its head at once and sends
 * nothing while nothing changes; like a real connection, one that cannot be made fails without a head.
 */
class Server {
  lists = 0
  watches = 0
  /** Whether connections can be made. */
  reachable = true
  /** Whether lists are allowed. */
  listsAllowed = true
  /** What becomes of a watch after its head was sent. */
  afterHead: (signal: AbortSignal | undefined) => Promise<void> = signal => pause(1e9, signal)

  readonly api: KubeApi = {
    server: 'https://server',
    request: async <T>() => {
      this.lists++
      if (!this.reachable) throw reset()
      if (!this.listsAllowed) throw refused()
      return { kind: 'ThingList', apiVersion: 'v1', metadata: { resourceVersion: '5' }, items: [] } as T
    },
    watch: ({ signal, opened }) => this.#watch(signal, opened),
    close: async () => undefined,
  }

  // biome-ignore lint/correctness/useYield: nothing changes
  async *#watch(signal: AbortSignal | undefined, opened?: () => void) {
    this.watches++
    if (!this.reachable) throw reset()
    opened?.()
    await this.afterHead(signal)
  }
}

/** The changes of a collection's contact, as `<seconds> <state>`. */
function contactWith(server: Server) {
  const said: string[] = []
  const collection = new Collection(THINGS, server.api, 'status', object => object, unmetered)
  const beganAt = Date.now()
  collection.contact.subscribe(contact => {
    const seconds = Math.floor((Date.now() - beganAt) / 1000)
    const state = typeof contact === 'string' ? contact : 'lost'
    if (!said.at(-1)?.endsWith(state)) said.push(`${seconds} ${state}`)
  })
  collection.start()
  return { said, collection }
}
const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000)

describe('contact of a collection', () => {
  it('is kept, without another list, when its watch is reset every minute and always resumes', async () => {
    const server = new Server()
    server.afterHead = async signal => {
      await pause(60_000, signal)
      throw reset()
    }
    const { said, collection } = contactWith(server)
    await minutes(60)
    collection.stop()
    expect(said).toEqual(['0 pending', '0 made'])
    expect(server.lists).toBe(1)
    expect(server.watches).toBeGreaterThan(58) // it is never away for long
  })

  it('is lost when the server was unreachable for three seconds, and restored by a list', async () => {
    const server = new Server()
    server.afterHead = async signal => {
      await pause(60_000, signal)
      throw reset()
    }
    const { said, collection } = contactWith(server)
    await minutes(0.9)
    server.reachable = false
    await minutes(2)
    expect(said).toHaveLength(3)
    expect(said[2]).toMatch(/^(6[3-9]|[7-9]\d) lost$/)
    server.reachable = true
    await minutes(1)
    collection.stop()
    expect(said.at(-1)).toMatch(/ made$/)
    expect(server.lists).toBeGreaterThan(1)
  })

  it('is lost when every watch is closed right after it was accepted, because events may be missing', async () => {
    const server = new Server()
    server.afterHead = async () => undefined
    const { said, collection } = contactWith(server)
    await minutes(1)
    collection.stop()
    expect(said.slice(0, 2)).toEqual(['0 pending', '0 made'])
    expect(said[2]).toMatch(/ lost$/)
  })

  it('backs off while every watch is closed right after it was accepted', async () => {
    const server = new Server()
    server.afterHead = async () => undefined
    const { collection } = contactWith(server)
    await minutes(10)
    const before = server.lists + server.watches
    await minutes(10)
    collection.stop()
    // Pauses of up to 30 s, 15 s in the middle: 40 sessions in ten minutes, a list and a watch each at most.
    expect(server.lists + server.watches - before).toBeLessThan(160)
  })

  it('is not established while lists are refused', async () => {
    const server = new Server()
    server.listsAllowed = false
    const { said, collection } = contactWith(server)
    await minutes(1)
    collection.stop()
    expect(said).toEqual(['0 pending', '0 lost'])
  })
})

describe('statistics of a watched type', () => {
  const failuresOf = (server: { readonly api: KubeApi }) => {
    const failures: (string | undefined)[] = []
    const watching = watchedType(server.api, THINGS, { reduce: () => 1, meter: unmetered }).subscribe(
      ({ failure }) => failures.push(failure?.reason),
    )
    return { failures, watching }
  }

  it('stay valid when the watch is reset every minute and always resumes', async () => {
    const server = new Server()
    server.afterHead = async signal => {
      await pause(60_000, signal)
      throw reset()
    }
    const { failures, watching } = failuresOf(server)
    await minutes(60)
    watching.unsubscribe()
    expect(failures).toEqual([undefined])
  })

  it('are out of date while the server is unreachable, and valid again after that', async () => {
    const server = new Server()
    server.afterHead = async signal => {
      await pause(60_000, signal)
      throw reset()
    }
    const { failures, watching } = failuresOf(server)
    await minutes(0.9)
    server.reachable = false
    await minutes(2)
    expect(failures).toEqual([undefined, 'Unexpected'])
    server.reachable = true
    await minutes(1)
    watching.unsubscribe()
    expect(failures).toEqual([undefined, 'Unexpected', undefined])
  })

  it('stay out of date while lists begin and do not end', async () => {
    const server = new Server()
    server.afterHead = async signal => {
      await pause(60_000, signal)
      throw reset()
    }
    let breaksOff = false
    const api: KubeApi = {
      ...server.api,
      async request<T>(request: KubeRequest) {
        if (breaksOff && request.query?.continue) throw reset()
        const page = await server.api.request<KubeList<KubeObject>>(request)
        return { ...page, metadata: { ...page.metadata, ...(breaksOff && { continue: 'next' }) } } as T
      },
    }
    const { failures, watching } = failuresOf({ api })
    await minutes(0.9)
    server.reachable = false
    await minutes(2)
    server.reachable = true
    breaksOff = true
    await minutes(5)
    expect(failures).toEqual([undefined, 'Unexpected'])
    breaksOff = false
    await minutes(2)
    watching.unsubscribe()
    expect(failures).toEqual([undefined, 'Unexpected', undefined])
  })

  it('say at once that a type is not served', async () => {
    const api: KubeApi = {
      ...new Server().api,
      request: () => Promise.reject(new StatusError(bareStatus(404, '404 page not found'))),
    }
    const { failures, watching } = failuresOf({ api })
    await vi.advanceTimersByTimeAsync(0)
    watching.unsubscribe()
    expect(failures).toEqual(['NotServed'])
  })
})
