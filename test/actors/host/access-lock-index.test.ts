import { expect, it } from 'vitest'
import { fakeAccessLocks } from '../../http/fakes/access-locks.js'

it('locks that come together are announced once, and each one that comes later again', async () => {
  const locks = fakeAccessLocks()
  let heard = 0
  const stop = locks.onChange(() => {
    heard++
  })
  locks.lock('one', { user: 'ann' })
  locks.lock('two', { user: 'bob' })
  await Promise.resolve()
  expect([heard, locks.revision]).toEqual([1, 2])
  locks.unlock('one')
  await Promise.resolve()
  expect([heard, locks.all().map(({ metadata }) => metadata.name)]).toEqual([2, ['two']])
  stop()
  locks.unlock('two')
  await Promise.resolve()
  expect([heard, locks.all()]).toEqual([2, []])
})

it('a lock that names nobody locks nobody, and is named', () => {
  const locks = fakeAccessLocks()
  locks.lock('good', { user: 'ann' })
  locks.lock('bad', { user: 7 })
  expect([locks.all().map(({ metadata }) => metadata.name), locks.ignored()]).toEqual([['good'], ['bad']])
})
