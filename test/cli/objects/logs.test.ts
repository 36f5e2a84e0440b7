import { expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { workloadLogs } from '../../../cli/objects/logs.js'
import { ConnectionError } from '../../../client/errors.js'
import { type Config, defaults } from '../../../config.js'
import { asking } from '../scripted-client.js'

const config = (given: Partial<Config> = {}): Config => ({ ...defaults('logs'), ...given })
const from = { cluster: 'eu-a', pod: 'web-1', container: 'main' }
const line = (text: string, more: object = {}) => ({ type: 'LINE', ...from, text, ...more })

/** A Kairship that sends these messages, and then does what `then` does. */
function sending(
  messages: readonly object[],
  then: () => Promise<void> = async () => undefined,
  signal?: AbortSignal,
) {
  const paths: string[] = []
  const answers = asking(
    {
      stream: async function* (path) {
        paths.push(path)
        yield* messages
        await then()
      },
    },
    signal,
  )
  const [printed, notes]: [string[], string[]] = [[], []]
  const out = (text: string): void => void printed.push(text)
  const err = (text: string): void => void notes.push(text)
  return { ...answers, out, err, paths, printed: () => printed.join(''), notes: () => notes.join('') }
}
const words = ['eu', 'deployment', 'shop/web'] as const

it('prints lines with their cluster, pod and container, and all else to the errors', async () => {
  const it = sending([
    line('hello'),
    line('long', { truncated: true }),
    { type: 'FOLLOWING' },
    { type: 'JOINED', ...from, pod: 'web-2' },
    { type: 'ENDED', cluster: 'eu-a', pod: 'web-1', message: 'the pod is gone' },
    { type: 'A_TYPE_OF_TOMORROW' },
  ])
  expect(await workloadLogs(it, config(), words)).toBe(ExitCode.ok)
  expect(it.printed()).toBe('[eu-a/web-1/main] hello\n[eu-a/web-1/main] long… (the line is longer)\n')
  expect(it.notes()).toBe('eu-a/web-2/main: followed from now on\neu-a/web-1: over: the pod is gone\n')
})

it('asks for what the flags say', async () => {
  const it = sending([])
  const flags = { follow: true, tail: 0, since: 90, container: 'main,side', member: 'eu-a,eu-b' }
  await workloadLogs(it, config({ ...flags, inNamespace: 'shop' }), ['eu', 'deploy/web'])
  const [path = '', query] = it.paths[0]?.split('?') ?? []
  expect(path).toBe('/apis/kairship.io/v1alpha1/instances/eu/namespaces/shop/workloads/Deployment/web/logs')
  expect([...new URLSearchParams(query)]).toEqual([
    ...[
      ['clusters', 'eu-a'],
      ['clusters', 'eu-b'],
      ['containers', 'main'],
      ['containers', 'side'],
    ],
    ...[
      ['follow', 'true'],
      ['tailLines', '0'],
      ['sinceSeconds', '90'],
    ],
  ])
})

it('prints messages as the server sent them with -o json', async () => {
  const it = sending([line('hello', { tomorrow: 1 })])
  await workloadLogs(it, config({ output: 'json' }), words)
  expect(JSON.parse(it.printed())).toEqual(line('hello', { tomorrow: 1 }))
})

it('says that there is nothing, and how to find out why', async () => {
  const it = sending([])
  expect(await workloadLogs(it, config(), words)).toBe(ExitCode.ok)
  expect(it.printed()).toBe('')
  expect(it.notes()).toBe(
    'No logs: Deployment shop/web has no pods in any cluster, or they have written nothing. See: kairship trace eu deployment shop/web\n',
  )
})

it('fails where a cluster could not be read, after the lines of the others', async () => {
  const it = sending([{ type: 'UNREAD', cluster: 'eu-b', message: 'is cut off' }, line('hello')])
  expect(await workloadLogs(it, config(), words)).toBe(ExitCode.failed)
  expect([it.printed(), it.notes()]).toEqual(['[eu-a/web-1/main] hello\n', 'Not read: eu-b: is cut off\n'])
})

it('ends without an error when it is interrupted, and with one when the connection breaks', async () => {
  const interrupted = new AbortController()
  const hungUp = async () => {
    interrupted.abort()
    throw interrupted.signal.reason
  }
  const ended = sending([line('hello')], hungUp, interrupted.signal)
  expect(await workloadLogs(ended, config({ follow: true }), words)).toBe(ExitCode.ok)
  const broken = sending([], () => Promise.reject(new ConnectionError('the stream broke off')))
  await expect(workloadLogs(broken, config({ follow: true }), words)).rejects.toThrow('the stream broke off')
})
