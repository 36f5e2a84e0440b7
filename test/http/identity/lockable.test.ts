import { describe, expect, it } from 'vitest'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { subjectOf } from '../../../http/identity/certificate.js'
import { LONGEST_LOCK_TARGET } from '../../../manifests/access-lock.js'
import { fakeHost } from '../fakes/host.js'

const MOST = LONGEST_LOCK_TARGET.user
const [longest, tooLong] = ['n'.repeat(MOST), 'n'.repeat(MOST + 1)]
const host = fakeHost({ tokens: {}, allows: () => true })
const { authenticate } = authenticatorOf({ host, now: () => 0 })

describe.each([
  ['its username', (name: string) => ({ user: name, groups: ['ops'] })],
  ['one of its groups', (name: string) => ({ user: 'ada', groups: ['ops', name] })],
])('somebody whom no AccessLock could name by %s is not let in', (what, named) => {
  const refused = new RegExp(`${what} has ${MOST + 1} characters: an AccessLock can name ${MOST} at most`)

  it('with a token of the host', async () => {
    const review = (name: string) => {
      const { user: username, groups } = named(name)
      host.script = () => ({ status: { authenticated: true, user: { username, groups } } })
      return authenticate({ authorization: `Bearer ${what.replaceAll(' ', '-')}-${name.length}` })
    }
    expect(await review(longest)).toMatchObject({ user: named(longest).user })
    await expect(review(tooLong)).rejects.toMatchObject({
      code: 16,
      message: expect.stringMatching(refused),
    })
  })

  it('with a client certificate', () => {
    const present = (name: string) => {
      const { user: CN, groups: O } = named(name)
      return () => authenticate({ certificate: subjectOf({ subject: { CN, O } }) })
    }
    expect(present(longest)()).toMatchObject({ user: named(longest).user })
    expect(present(tooLong)).toThrow(refused)
  })
})
