import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mayLogInTo } from '../../../cli/login/login.js'
import { loginOfClient } from '../../../cli/login/login-of-client.js'
import { LoginStore } from '../../../cli/login/login-store.js'

let folder: string
let store: LoginStore
let id: string
const server = 'https://kairship.test'
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-login-'))
  store = new LoginStore(join(folder, 'logins'))
  id = store.write({
    server,
    issuer: 'https://issuer.test',
    clientId: 'kairship-cli',
    scopes: 'openid',
    subject: 'ada',
    user: 'ada',
    idToken: 'id',
    issuedAt: Date.now(),
    expiresAt: Date.now() + 600_000,
    loggedInAt: 1,
  })
})
afterEach(() => rmSync(folder, { recursive: true }))
const { signal } = new AbortController()

describe('a command uses the login to its server', () => {
  it('where no token is given', async () => {
    const login = loginOfClient({ server }, store, signal)
    expect(login?.id).toBe(id)
    expect(await login?.token()).toBe('id')
  })

  it('before the token of a file that merely lies there', () => {
    expect(loginOfClient({ server, token: 'of-the-file', isTokenFound: true }, store, signal)?.id).toBe(id)
  })

  it('never before a token that its user names, and never for another server', () => {
    expect(loginOfClient({ server, token: 'given' }, store, signal)).toBeUndefined()
    expect(loginOfClient({ server: 'https://other.test' }, store, signal)).toBeUndefined()
  })
})

describe('a server that only a file in the working folder names', () => {
  const found = (server: string) => ({ server, namedBy: 'here/client.yaml', isServerFound: true })

  it('is not logged in to, since whoever put the file there would get the token', () => {
    for (const server of ['https://evil.test', 'https://127.0.0.1.evil.test', 'https://localhost.evil.test'])
      expect(() => mayLogInTo(found(server))).toThrow('here/client.yaml names')
  })

  it('is logged in to when it is on this machine, as a playground is, or when its user names it', () => {
    for (const server of ['https://127.0.0.1:8443', 'https://localhost:8443', 'https://[::1]:8443'])
      expect(mayLogInTo(found(server)).server).toBe(server)
    expect(mayLogInTo({ server: 'https://kairship.test' }).server).toBe('https://kairship.test')
  })
})
