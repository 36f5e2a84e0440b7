import { describe, expect, it } from 'vitest'
import { listLocks, lockAccess, unlockAccess } from '../../../cli/access/locks.js'
import { CommandError } from '../../../cli/exit-code.js'
import { type Config, defaults } from '../../../config.js'
import { scriptedClient } from '../scripted-client.js'

/** A Kairship that gives one answer; `calls` has what was asked. */
function answering(answer: object) {
  const calls: unknown[] = []
  const out: string[] = []
  const asked = (...call: unknown[]) => {
    calls.push(call)
    return Promise.resolve(answer)
  }
  const context = {
    client: scriptedClient({ get: asked, post: asked, delete: asked }),
    out: (text: string) => void out.push(text),
    err: () => undefined,
    signal: new AbortController().signal,
    now: () => 1_000,
    pause: async () => undefined,
  }
  return { calls, context, said: () => out.join('') }
}
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('lock'), ...given })
const LOCKS = '/apis/kairship.io/v1alpha1/access-locks'

describe('kairship lock', () => {
  it('locks whom all words name, for a time, and says how to lift it', async () => {
    const { calls, context, said } = answering({ name: 'lock-7' })
    const given = config({ lockMessage: 'call security', lockFor: 3_600 })
    await lockAccess(context, given, ['user/oidc:a/b', 'instance/eu'])
    expect(calls).toEqual([
      [LOCKS, { user: 'oidc:a/b', instance: 'eu', message: 'call security', expiresAt: '3601000' }],
    ])
    expect(said()).toBe('lock-7: user/oidc:a/b and instance/eu locked; lift it: kairship unlock lock-7\n')
  })

  it('prints the name alone with -o name, for `unlock`', async () => {
    const { context, said } = answering({ name: 'lock-7' })
    await lockAccess(context, config({ output: 'name' }), ['user/ann'])
    expect(said()).toBe('lock-7\n')
  })

  it.each([['ann'], ['user/'], ['person/ann'], ['constructor/ann'], ['user/a', 'user/b']])(
    'refuses %j',
    async (...words) => {
      const { calls, context } = answering({})
      await expect(lockAccess(context, config(), words)).rejects.toThrow(CommandError)
      expect(calls).toEqual([])
    },
  )
})

it('kairship unlock lifts each lock that is named', async () => {
  const { calls, context, said } = answering({})
  await unlockAccess(context, ['a', 'b'])
  expect(calls).toEqual([[`${LOCKS}/a`], [`${LOCKS}/b`]])
  expect(said()).toBe('a: lifted\nb: lifted\n')
})

describe('kairship locks', () => {
  it('lists whom each lock is for, and until when', async () => {
    const items = [
      {
        name: 'a',
        user: 'ann',
        instance: 'eu',
        message: 'call security',
        createdBy: 'eve',
        expiresAt: '1000',
      },
      { name: 'b', tokenId: 'x', createdAt: '1000', expiresAt: '1795000000000' },
    ]
    const { context, said } = answering({ items })
    await listLocks(context, config())
    expect(said()).toBe(
      [
        'NAME   WHOM                   ENDS                   AGE   BY    MESSAGE',
        'a      user/ann instance/eu   is over                -     eve   call security',
        'b      token/x                2026-11-18T11:06:40Z   0s    -     -\n',
      ].join('\n'),
    )
  })

  it('prints names alone with -o name, and nothing where there are none', async () => {
    const some = answering({ items: [{ name: 'a', user: 'ann' }, { name: 'b' }] })
    await listLocks(some.context, config({ output: 'name' }))
    expect(some.said()).toBe('a\nb\n')
    const none = answering({ items: [] })
    await listLocks(none.context, config({ output: 'name' }))
    expect(none.said()).toBe('')
  })

  it('says that there are none', async () => {
    const { context, said } = answering({ items: [] })
    await listLocks(context, config())
    expect(said()).toBe('Nobody is locked out.\n')
  })
})
