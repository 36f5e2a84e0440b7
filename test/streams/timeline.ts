import { defer, finalize, type MonoTypeOperatorFunction, type Observable, takeUntil, tap, timer } from 'rxjs'
import { type RunHelpers, TestScheduler } from 'rxjs/testing'
import type { KubeObject } from '../../manifests/kube.js'
import { bareStatus, StatusError } from '../../manifests/status-error.js'
import type { ListWatch, Opened } from '../../streams/list-watch.js'
import type { Seen } from '../../streams/seen.js'

/** An object of the tests: `thing('a', 11)` is named a, at resource version 11, with a uid of its own unless told. */
export const thing = (name: string, version: number | string, uid = `uid-${name}`): KubeObject => ({
  apiVersion: 'test/v1',
  kind: 'Thing',
  metadata: { name, uid, resourceVersion: String(version) },
})

export const expired = (message = 'too old resource version: 1 (2)'): StatusError =>
  new StatusError({ ...bareStatus(410, message), reason: 'Expired' })

/** What marbles in the tests stand for, e.g. `cold('1s a |', things)`: lower case applied, upper case deleted. */
export const listed = (...objects: KubeObject[]): Seen<KubeObject> => ({ type: 'listed', objects })
export const synced = (cursor: number | string): Seen<KubeObject> => ({
  type: 'synced',
  cursor: String(cursor),
})
export const applied = (name: string, version: number | string, uid?: string): Seen<KubeObject> => ({
  type: 'applied',
  object: thing(name, version, uid),
  cursor: String(version),
})
export const deleted = (name: string, version: number | string, uid?: string): Seen<KubeObject> => ({
  type: 'deleted',
  object: thing(name, version, uid),
  cursor: String(version),
})
export const bookmarked = (cursor: number | string): Seen<KubeObject> => ({
  type: 'bookmarked',
  cursor: String(cursor),
})

/** One item in words: `applied a@11`, `interrupted #2 for 400 ms: reset`. */
function inWords(seen: Seen<KubeObject>): string {
  const name = ({ metadata }: KubeObject) => `${metadata.name}@${metadata.resourceVersion}`
  switch (seen.type) {
    case 'restarted':
      return 'restarted'
    case 'listed':
      return `listed ${seen.objects.map(name).join(' ')}`.trim()
    case 'applied':
    case 'deleted':
      return `${seen.type} ${name(seen.object)}`
    case 'synced':
    case 'bookmarked':
      return `${seen.type} ${seen.cursor}`
    case 'interrupted':
      return `interrupted #${seen.attempt} for ${seen.retryInMs} ms: ${seen.error.message}`
  }
}

/** The server has accepted the watch. */
export const opened: Opened = { type: 'opened' }

type Marbles = {
  readonly marbles: string
  readonly values?: Record<string, Seen<KubeObject> | Opened>
  readonly error?: unknown
}

/** A server that answers each list and each watch with the next of its scripts, and the last one for ever. */
export interface Script {
  readonly lists: readonly Marbles[]
  readonly watches: readonly Marbles[]
}

/**
 * Plays a script in virtual time and returns what happened as lines `<ms> <what>`: items as they were emitted, requests as
 * they were made (`> list`, `> watch 10 for 450 s`) and ended by the watcher (`< given up`).
 */
export function timeline(
  script: Script,
  watcher: (source: ListWatch<KubeObject>) => Observable<Seen<KubeObject>>,
  untilMs: number,
): string[] {
  const lines: string[] = []
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(helpers => {
    const say = (what: string) => lines.push(`${scheduler.now()} ${what}`)
    const source = scriptedSource(script, helpers, say)
    helpers
      .expectObservable(
        watcher(source).pipe(
          tap(seen => say(inWords(seen))),
          takeUntil(timer(untilMs)),
        ),
      )
      .toBe('')
  })
  return lines
}

/** Calls back when the source is unsubscribed before it has ended by itself. */
const unlessEnded =
  (givenUp: () => void): MonoTypeOperatorFunction<never> =>
  source =>
    defer(() => {
      let ended = false
      const end = () => {
        ended = true
      }
      return source.pipe(
        tap({ complete: end, error: end }),
        finalize(() => ended || givenUp()),
      )
    })

function scriptedSource({ lists, watches }: Script, { cold }: RunHelpers, say: (what: string) => void) {
  const next = (scripts: readonly Marbles[]) => {
    let calls = 0
    return () => {
      const { marbles, values, error } = scripts[Math.min(calls++, scripts.length - 1)]!
      const answer = cold(marbles, values, error) as Observable<unknown> as Observable<never>
      return answer.pipe(unlessEnded(() => say('< given up')))
    }
  }
  const nextList = next(lists)
  const nextWatch = next(watches)
  return {
    name: 'things.test',
    list: ({ whole }) => {
      say(whole ? '> list whole' : '> list')
      return nextList()
    },
    watch: (cursor, seconds) => {
      say(`> watch ${cursor} for ${seconds} s`)
      return nextWatch()
    },
  } satisfies ListWatch<KubeObject>
}
