import { expect, it } from 'vitest'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { checkOf } from '../../../http/identity/credential.js'
import { ACCOUNT_IS_GONE } from '../../../http/identity/deleted-account.js'
import { Code } from '../../../transcoding/code.js'
import { fakeHost } from '../fakes/host.js'

const refused = { code: Code.UNAUTHENTICATED, message: ACCOUNT_IS_GONE }

it('the token of an account that was seen to be deleted is refused, though the host has just accepted it', async () => {
  const deleted = new Set<string>()
  const { authenticate } = authenticatorOf({
    host: fakeHost({
      tokens: { t: { user: 'system:serviceaccount:shop:robot', uid: 'u1' } },
      allows: () => true,
    }),
    accounts: { wasDeleted: uid => deleted.has(uid) },
    now: () => 0,
    grace: { ms: 60_000, standingIn: () => undefined },
  })
  const request = { authorization: 'Bearer t' }
  const caller = await authenticate(request)
  expect(await checkOf(caller)?.ask?.()).toEqual(caller)
  deleted.add('u1')
  await expect((async () => authenticate(request))()).rejects.toMatchObject(refused)
  await expect(checkOf(caller)?.ask?.()).rejects.toMatchObject(refused)
})
