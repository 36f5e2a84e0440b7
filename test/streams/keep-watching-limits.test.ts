import { type Observable, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../manifests/kube.js'
import { type KeepWatchingOptions, keepWatching } from '../../streams/keep-watching.js'
import type { Seen } from '../../streams/seen.js'
import { opened, type Script, synced, timeline } from './timeline.js'

const reset = new Error('read ECONNRESET')
const empty = { marbles: '(s|)', values: { s: synced(10) } }
const quiet = { marbles: '-' }

/** Plays watches for a minute, each pause half of its bound. @returns what was asked for, and each interruption */
function play(watches: Script['watches'], options: KeepWatchingOptions = {}) {
  const interruptions: Extract<Seen<KubeObject>, { type: 'interrupted' }>[] = []
  const noted = tap((item: Seen<KubeObject>) => {
    if (item.type === 'interrupted') interruptions.push(item)
  })
  const lines = timeline(
    { lists: [empty], watches },
    (source): Observable<Seen<KubeObject>> =>
      keepWatching(source, { random: () => 0.5, ...options }).pipe(noted),
    60_000,
  )
  return { asked: lines.filter(line => line.includes(' > ')), interruptions }
}

describe('keepWatching', () => {
  it('lists again after exactly so long without contact, and not before', () => {
    // Nothing is heard after the list, and each watch breaks at once: the second one 400 ms after it.
    const dead = { marbles: '#', error: reset }
    const lists = (relistAfterMs: number) =>
      play([dead, dead, quiet], { relistAfterMs }).asked.filter(line => line.endsWith('> list'))
    expect(lists(400)).toEqual(['0 > list', '1200 > list'])
    expect(lists(401)).toEqual(['0 > list'])
  })

  it.each([
    [9_999, 9_999],
    [10_000, 0],
  ])('counts a watch that was open for %i ms as %i ms of silence', (openMs, silentMs) => {
    // Its opening takes one millisecond of the marbles.
    const broken = { marbles: `o ${openMs - 1}ms #`, values: { o: opened }, error: reset }
    expect(play([broken, quiet]).interruptions).toMatchObject([{ silentMs }])
  })

  it('takes the end of a watch before 10 s for a failure, and not from then on', () => {
    const [interruption] = play([{ marbles: '9999ms |' }, quiet]).interruptions
    expect(interruption?.error.message).toBe('things.test: the watch was closed after 9999 ms')
    const { asked, interruptions } = play([{ marbles: '10s |' }, quiet])
    expect(interruptions).toEqual([])
    expect(asked.at(-1)).toBe('10400 > watch 10 for 450 s')
  })
})
