import { describe, expect, it } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { adoptInstance, deleteInstances } from '../../../cli/instances/change-instances.js'
import { inspectInstance } from '../../../cli/instances/inspect-instance.js'
import { type Config, defaults } from '../../../config.js'
import { scriptedClient } from '../scripted-client.js'

/** A Kairship that answers writes, and whose streams are scripted; `calls` has what was sent. */
function scripted(messages: readonly object[] = []) {
  const calls: unknown[] = []
  const out: string[] = []
  const err: string[] = []
  const client = scriptedClient({
    post: async (path, body) => {
      calls.push(['POST', path, body])
      return { metadata: { name: 'eu', generation: '1' } }
    },
    delete: async path => {
      calls.push(['DELETE', path])
      return {}
    },
    async *stream(path) {
      calls.push(['WATCH', path])
      yield* messages
    },
  })
  const asking = {
    client,
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    signal: new AbortController().signal,
    now: () => 0,
    pause: async () => undefined,
  }
  return { calls, asking, err, said: () => out.join('') }
}
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('adopt'), ...given })
const root = '/apis/kairship.io/v1alpha1/instances'

describe('adopt', () => {
  it('creates an Instance with a reference to the Secret', async () => {
    const { asking, calls, said } = scripted()
    const given = config({ kubeconfigSecret: 'karmada-instances/eu', alias: 'Europe' })
    expect(await adoptInstance(asking, given, 'eu')).toBe(ExitCode.ok)
    expect(calls).toEqual([
      [
        'POST',
        root,
        {
          data: {
            metadata: { name: 'eu' },
            spec: { alias: 'Europe', kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'eu' } },
          },
        },
      ],
    ])
    expect(said()).toBe('instance.kairship.io/eu created\n')
  })

  it('prints the created object with -o', async () => {
    const { asking, said } = scripted()
    await adoptInstance(asking, config({ kubeconfigSecret: 'a/b', output: 'json' }), 'eu')
    expect(JSON.parse(said())).toMatchObject({ kind: 'Instance', metadata: { name: 'eu', generation: 1 } })
  })

  it('creates nothing without a Secret, because that would install a control plane', async () => {
    const { asking, calls } = scripted()
    await expect(adoptInstance(asking, config(), 'eu')).rejects.toThrow(CommandError)
    expect(calls).toEqual([])
  })
})

describe('delete', () => {
  it('deletes each instance, and does not wait', async () => {
    const { asking, calls, said } = scripted()
    expect(await deleteInstances(asking, config(), ['eu', 'us'])).toBe(ExitCode.ok)
    expect(calls).toEqual([
      ['DELETE', `${root}/eu`],
      ['DELETE', `${root}/us`],
    ])
    expect(said()).toBe(
      'instance.kairship.io/eu is being deleted\ninstance.kairship.io/us is being deleted\n',
    )
  })

  const eu = { metadata: { name: 'eu' } }
  const euWest = { metadata: { name: 'eu-west' } }
  it.each([
    [
      'is gone',
      [
        { type: 'ADDED', instance: eu },
        { type: 'ADDED', instance: euWest },
        { type: 'BOOKMARK' },
        { type: 'MODIFIED', instance: eu },
        { type: 'DELETED', instance: eu },
      ],
    ],
    [
      'was gone before the watch began',
      [{ type: 'RESET' }, { type: 'ADDED', instance: euWest }, { type: 'BOOKMARK' }],
    ],
  ])('with --wait ends when the instance %s', async (_when, messages) => {
    const { asking, said } = scripted([...messages, { type: 'not read any more' }])
    expect(await deleteInstances(asking, config({ wait: true }), ['eu'])).toBe(ExitCode.ok)
    expect(said()).toContain('instance.kairship.io/eu deleted\n')
  })

  it('with --wait fails when it is interrupted, and does not report the instance as gone', async () => {
    const { asking, said } = scripted()
    const interrupted = new AbortController()
    const client = scriptedClient({
      delete: async () => ({}),
      async *stream() {
        yield { type: 'ADDED', instance: eu }
        // What was there at first: the instance is not gone.
        yield { type: 'BOOKMARK' }
        yield { type: 'DELETED', instance: euWest }
        interrupted.abort()
        interrupted.signal.throwIfAborted()
      },
    })
    const waiting = { ...asking, client, signal: interrupted.signal }
    expect(await deleteInstances(waiting, config({ wait: true }), ['eu'])).toBe(ExitCode.failed)
    expect(said()).toBe('instance.kairship.io/eu is being deleted\n')
  })
})

describe('inspect', () => {
  const message = {
    time: '2026-01-01T10:00:00.123Z',
    instance: 'eu',
    kind: 'event',
    record: { type: 'probed', ok: true },
  }

  it('prints a line for each event, transition and effect', async () => {
    const { asking, calls, said } = scripted([message])
    await inspectInstance(asking, config(), 'eu')
    expect(calls).toEqual([['WATCH', `${root}/eu:inspect`]])
    expect(said()).toBe('10:00:00.123   event        type=probed ok=true\n')
  })

  it('names the instance on stderr, because an idle instance prints nothing', async () => {
    const { asking, err, said } = scripted()
    await inspectInstance(asking, config(), 'eu')
    expect([said(), err]).toEqual([
      '',
      ['following the state machine of eu: a line for each event and effect, until Ctrl-C\n'],
    ])
  })

  it('prints what the server sent as JSON, one document a line', async () => {
    const { asking, said } = scripted([message])
    await inspectInstance(asking, config({ output: 'json' }), 'eu')
    expect(JSON.parse(said())).toEqual(message)
  })
})
