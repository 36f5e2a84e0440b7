import { tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../manifests/kube.js'
import { bareStatus, StatusError } from '../../manifests/status-error.js'
import { keepWatching } from '../../streams/keep-watching.js'
import type { ListWatch } from '../../streams/list-watch.js'
import {
  applied,
  bookmarked,
  deleted,
  expired,
  listed,
  opened,
  type Script,
  synced,
  thing,
  timeline,
} from './timeline.js'

/** Chance always falls in the middle: pauses are half their bound, watches are asked for 450 s. */
const half = () => 0.5
const play = (script: Script, untilMs: number) =>
  // What is given up at the very end is the test's own unsubscription; one test looks at it.
  timeline(script, source => keepWatching(source, { random: half }), untilMs).filter(
    line => line !== `${untilMs} < given up`,
  )

const reset = new Error('read ECONNRESET')
const oneThing = { marbles: '(ls|)', values: { l: listed(thing('a', 9)), s: synced(10) } }
const quiet = { marbles: '-' }

describe('keepWatching', () => {
  it('lists, then watches from the list', () => {
    const watch = {
      marbles: '5s b 1s B 1s k',
      values: { b: applied('b', 11), B: deleted('b', 12), k: bookmarked(20) },
    }
    expect(play({ lists: [oneThing], watches: [watch] }, 10_000)).toEqual([
      '0 restarted',
      '0 > list',
      '0 listed a@9',
      '0 synced 10',
      '0 > watch 10 for 450 s',
      '5000 applied b@11',
      '6001 deleted b@12',
      '7002 bookmarked 20',
    ])
  })

  it('resumes a watch that the server closed at its age limit at the last cursor, without a list and without an interruption', () => {
    const watch = { marbles: '5s b 445s |', values: { b: applied('b', 11) } }
    expect(play({ lists: [oneThing], watches: [watch, quiet] }, 460_000).slice(5)).toEqual([
      '5000 applied b@11',
      '450401 > watch 11 for 450 s',
    ])
  })

  it('moves the cursor with a bookmark', () => {
    const watch = { marbles: '60s k 390s |', values: { k: bookmarked(77) } }
    expect(play({ lists: [oneThing], watches: [watch, quiet] }, 460_000).at(-1)).toContain('> watch 77')
  })

  it('reports a broken watch as an item, backs off, and resumes at its cursor', () => {
    const broken = { marbles: '20s b 1s #', values: { b: applied('b', 11) }, error: reset }
    expect(play({ lists: [oneThing], watches: [broken, quiet] }, 60_000).slice(5)).toEqual([
      '20000 applied b@11',
      '21001 interrupted #1 for 400 ms: read ECONNRESET',
      '21401 > watch 11 for 450 s',
    ])
  })

  it('lists again when the server has dropped the cursor', () => {
    const gone = { marbles: '20s #', error: expired('gone') }
    const again = { marbles: '(ls|)', values: { l: listed(thing('c', 30)), s: synced(40) } }
    expect(play({ lists: [oneThing, again], watches: [gone, quiet] }, 60_000).slice(5)).toEqual([
      '20000 interrupted #1 for 400 ms: gone',
      '20400 restarted',
      '20400 > list',
      '20400 listed c@30',
      '20400 synced 40',
      '20400 > watch 40 for 450 s',
    ])
  })

  it('keeps its cursor after a refusal other than 410', () => {
    for (const code of [400, 401, 403, 404, 429, 500, 503]) {
      const refused = { marbles: '#', error: new StatusError(bareStatus(code, `no ${code}`)) }
      const seen = play({ lists: [oneThing], watches: [refused, quiet] }, 60_000)
      expect(seen.slice(5)).toEqual([`0 interrupted #1 for 400 ms: no ${code}`, '400 > watch 10 for 450 s'])
    }
  })

  it('waits for the Retry-After of the server', () => {
    const status = { ...bareStatus(429, 'slow down'), details: { retryAfterSeconds: 17 } }
    const refused = { marbles: '#', error: new StatusError(status) }
    expect(play({ lists: [refused, oneThing], watches: [quiet] }, 60_000)).toContain(
      '0 interrupted #1 for 17000 ms: slow down',
    )
  })

  it.each([
    ['of a year', 31_536_000, 300_000],
    ['that is no number', 'soon', 400],
    ['that is no time', Number.NaN, 400],
    ['in the past', -5, 400],
    ['without an end', Number.POSITIVE_INFINITY, 300_000],
  ] as const)('does not ask at once and for ever again after a Retry-After %s', (_, asked, pauseMs) => {
    const status = { ...bareStatus(429, 'slow down'), details: { retryAfterSeconds: asked as number } }
    const refused = { marbles: '#', error: new StatusError(status) }
    expect(play({ lists: [refused, oneThing], watches: [quiet] }, 400_000)).toContain(
      `0 interrupted #1 for ${pauseMs} ms: slow down`,
    )
  })

  it('backs off more before each list when every watch expires at once', () => {
    const gone = { marbles: '#', error: expired() }
    const lines = play({ lists: [oneThing], watches: [gone] }, 3_600_000)
    const lists = lines.filter(line => line.endsWith('> list')).map(line => Number.parseInt(line, 10))
    const gaps = lists.slice(1).map((at, i) => at - lists[i]!)
    expect(gaps.slice(0, 8)).toEqual([400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000])
    expect(Math.min(...gaps.slice(8))).toBe(15_000)
    expect(lists.length).toBeLessThan(250)
  })

  it('treats a watch that the server closes at once as a failure', () => {
    const closed = { marbles: '100ms |' }
    const lines = play({ lists: [oneThing], watches: [closed] }, 600_000)
    expect(lines[5]).toBe('100 interrupted #1 for 400 ms: things.test: the watch was closed after 100 ms')
    expect(lines.filter(line => line.includes('> watch')).length).toBeLessThan(50)
    expect(lines.filter(line => line.includes('> list'))).toHaveLength(1)
  })

  it('resets its back-off only after two quiet minutes', () => {
    const broken = { marbles: '20s #', error: reset }
    const healthy = { marbles: '400s #', error: reset }
    const lines = play({ lists: [oneThing], watches: [broken, broken, healthy, quiet] }, 600_000)
    expect(lines.filter(line => line.includes('interrupted'))).toEqual([
      '20000 interrupted #1 for 400 ms: read ECONNRESET',
      '40400 interrupted #2 for 800 ms: read ECONNRESET',
      '441200 interrupted #1 for 400 ms: read ECONNRESET',
    ])
  })

  it('resumes without a pause when a broken watch had lasted as long as the longest pause', () => {
    const broken = { marbles: 'o 30s #', values: { o: opened }, error: reset }
    const lines = play({ lists: [oneThing], watches: [broken] }, 200_000)
    const interruptions = lines.filter(line => line.includes('interrupted'))
    expect(interruptions).toHaveLength(6)
    for (const line of interruptions) expect(line).toContain('interrupted #1 for 400 ms')
  })

  it('backs off when connections fail before they are accepted, however long that takes', () => {
    const broken = { marbles: '30s #', error: reset }
    const lines = play({ lists: [oneThing], watches: [broken] }, 200_000)
    const attempts = lines.flatMap(line => /interrupted (#\d)/.exec(line)?.[1] ?? [])
    expect(attempts).toEqual(['#1', '#2', '#3', '#4', '#5', '#6'])
  })

  it('reports how long the server has been silent', () => {
    const silences = (script: Script, relistAfterMs?: number) => {
      const seen: (number | string)[] = []
      const watcher = (source: ListWatch<KubeObject>) =>
        keepWatching(source, { random: half, ...(relistAfterMs !== undefined && { relistAfterMs }) }).pipe(
          tap(item => {
            if (item.type === 'interrupted') seen.push(item.silentMs)
            if (item.type === 'restarted') seen.push('list')
          }),
        )
      timeline(script, watcher, 80_000)
      return seen
    }
    const held = { marbles: 'o 20s #', values: { o: opened }, error: reset }
    const dead = { marbles: '#', error: reset }
    const closed = { marbles: '(o|)', values: { o: opened } }
    const changed = { marbles: '1s b 1s #', values: { b: applied('b', 11) }, error: reset }
    // Nothing but a list, an item or a watch that was held proves contact; an accepted one that ends at once does not.
    expect(silences({ lists: [oneThing], watches: [held, dead, dead, closed, quiet] })).toEqual([
      'list',
      0,
      400,
      1_200,
      2_800,
    ])
    expect(silences({ lists: [oneThing], watches: [changed, quiet] })).toEqual(['list', 1_001])
    // Neither does a list that is only asked for.
    expect(silences({ lists: [oneThing, dead], watches: [held, dead, dead] }, 1_000).slice(0, 9)).toEqual([
      ...['list', 0, 400, 1_200],
      ...['list', 2_800, 'list', 6_000, 'list'],
    ])
    expect(silences({ lists: [oneThing], watches: [held, dead, dead, quiet] }, 1_000)).toEqual([
      'list',
      0,
      400,
      1_200,
      'list',
    ])
  })

  it('treats a watch as dead when it outlasts the time given to the server', () => {
    expect(play({ lists: [oneThing], watches: [quiet] }, 500_000).slice(5)).toEqual([
      '480000 < given up',
      '480000 interrupted #1 for 400 ms: things.test: the watch outlived its 450 s; the connection is dead',
      '480400 > watch 10 for 450 s',
    ])
  })

  it('gives a watch up sooner where it is to live for less, as is said when it begins, and resumes where it was', () => {
    const lives = [20, 10].map(shortest => ({ shortest, longest: shortest + 10, marginMs: 5_000 }))
    const life = () => lives.shift()!
    const script = { lists: [oneThing], watches: [quiet, quiet] }
    expect(
      timeline(script, source => keepWatching(source, { random: half, life }), 31_000).slice(4, 8),
    ).toEqual([
      '0 > watch 10 for 25 s',
      '30000 < given up',
      '30000 interrupted #1 for 400 ms: things.test: the watch outlived its 25 s; the connection is dead',
      '30400 > watch 10 for 15 s',
    ])
  })

  it('treats a list without a page as dead, and starts it again', () => {
    const stuck = { marbles: '1s l', values: { l: listed(thing('a', 9)) } }
    expect(play({ lists: [stuck, oneThing], watches: [quiet] }, 100_000)).toEqual([
      '0 restarted',
      '0 > list',
      '1000 listed a@9',
      '91000 < given up',
      '91000 interrupted #1 for 400 ms: things.test: the list stalled',
      '91400 restarted',
      '91400 > list',
      '91400 listed a@9',
      '91400 synced 10',
      '91400 > watch 10 for 450 s',
    ])
  })

  it('restarts a list that failed on a later page', () => {
    const third = {
      marbles: '1s l 1s m 1s #',
      values: { l: listed(thing('a', 1)), m: listed(thing('b', 2)) },
      error: reset,
    }
    const lines = play({ lists: [third, oneThing], watches: [quiet] }, 100_000)
    expect(lines.slice(4, 7)).toEqual([
      '3002 interrupted #1 for 400 ms: read ECONNRESET',
      '3402 restarted',
      '3402 > list',
    ])
  })

  it('requests the whole list at once after the continue token expired, and pages again later', () => {
    const first = { marbles: '1s l 1s #', values: { l: listed(thing('a', 1)) }, error: expired() }
    const gone = { marbles: '20s #', error: expired() }
    const lines = play({ lists: [first, oneThing], watches: [gone, quiet] }, 100_000)
    expect(lines.filter(line => line.includes('> list'))).toEqual([
      '0 > list',
      '2401 > list whole',
      '23201 > list',
    ])
  })

  it('drops events that it has already delivered: repeats, and those older than the watch', () => {
    const watch = {
      marbles: 'a-b-a-o-k-n',
      values: {
        a: applied('a', 11),
        b: applied('b', 13),
        o: deleted('a', 9),
        k: bookmarked(10),
        n: applied('n', 14),
      },
    }
    expect(play({ lists: [oneThing], watches: [watch] }, 1000).slice(5)).toEqual([
      '0 applied a@11',
      '2 applied b@13',
      '10 applied n@14',
    ])
  })

  it('lists again after an event out of order, because others may be missing', () => {
    const watch = { marbles: 'b-a', values: { a: applied('a', 11), b: applied('b', 13) } }
    expect(play({ lists: [oneThing], watches: [watch, quiet] }, 1000).slice(5, 9)).toEqual([
      '0 applied b@13',
      '2 < given up',
      '2 interrupted #1 for 400 ms: the watch sent resource version 11 after 13',
      '402 restarted',
    ])
  })

  it('compares resource versions as numbers of any length', () => {
    const watch = {
      marbles: 'a-b-c',
      values: {
        a: applied('a', 99),
        b: applied('b', 100),
        c: applied('c', '123456789012345678901234567890'),
      },
    }
    expect(play({ lists: [oneThing], watches: [watch] }, 1000).slice(5)).toHaveLength(3)
  })

  it('keeps every event whose resource version is opaque', () => {
    const watch = { marbles: 'a-b', values: { a: applied('a', 'zz'), b: applied('b', 'aa') } }
    expect(play({ lists: [oneThing], watches: [watch] }, 1000).slice(5)).toEqual([
      '0 applied a@zz',
      '2 applied b@aa',
    ])
  })

  it('wraps a thrown value that is not an Error', () => {
    const lines = play({ lists: [{ marbles: '#', error: 'a string' }], watches: [quiet] }, 100)
    expect(lines.at(-1)).toBe('0 interrupted #1 for 400 ms: a string')
  })

  it('aborts the request in flight when it is unsubscribed, and makes no other', () => {
    const watcher = (source: ListWatch<KubeObject>) => keepWatching(source, { random: half })
    const listing = timeline({ lists: [{ marbles: '-' }], watches: [quiet] }, watcher, 80_000)
    expect(listing).toEqual(['0 restarted', '0 > list', '80000 < given up'])
    const watching = timeline({ lists: [oneThing], watches: [quiet] }, watcher, 80_000)
    expect(watching.slice(4)).toEqual(['0 > watch 10 for 450 s', '80000 < given up'])
  })
})
