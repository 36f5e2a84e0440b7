import { setMaxListeners } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { credential } from '../../../cli/login/credential.js'
import { currentToken } from '../../../cli/login/current-token.js'
import { locked } from '../../../cli/login/login-lock.js'
import { type Login, LoginStore } from '../../../cli/login/login-store.js'
import { logout } from '../../../cli/login/logout.js'
import { endLogin } from '../../../cli/login/renewal.js'
import { signingKey, startIssuer } from '../../http/identity/oidc/test-issuer.js'
import {
  type IssuerUnderTest,
  issuerUnderTest,
  tlsUnderTest,
} from '../../playground/issuer/running-issuer.js'
import { loggedIn } from './logged-in.js'

let issuer: IssuerUnderTest
let folder: string
let store: LoginStore
let login: Login
let id: string
beforeAll(async () => {
  issuer = await issuerUnderTest()
})
afterAll(() => issuer?.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'))
  store = new LoginStore(join(folder, 'logins'))
  login = await loggedIn(issuer)
  id = store.write(login)
})
afterEach(() => rmSync(folder, { recursive: true }))

const { signal } = new AbortController()
setMaxListeners(0, signal)
const token = (now = Date.now) => currentToken(id, { store, signal, now })
/** A clock of after the token has expired. */
const later =
  (ms = 0) =>
  () =>
    login.expiresAt + ms

/** How many refresh tokens the issuer was shown meanwhile. */
async function refreshesOf(work: () => Promise<unknown>): Promise<number> {
  const before = issuer.refreshes
  await work()
  return issuer.refreshes - before
}

describe('the token of a login', () => {
  it('is the kept one while it is good, and nobody is asked', async () => {
    const asked = await refreshesOf(async () => expect((await token()).token).toBe(login.idToken))
    expect(asked).toBe(0)
  })

  it('is renewed a minute before it expires, and the next refresh token is kept', async () => {
    const early = () => login.expiresAt - 59_000
    expect(await refreshesOf(() => token(early))).toBe(1)
    const kept = store.read(id)
    expect(kept?.idToken).not.toBe(login.idToken)
    expect(kept?.refreshToken).not.toBe(login.refreshToken)
    expect(await refreshesOf(() => token())).toBe(0)
  })

  it('of a short life is renewed when three quarters of that are over', async () => {
    const issuedAt = Date.now()
    store.write({ ...login, issuedAt, expiresAt: issuedAt + 40_000 })
    expect(await refreshesOf(() => token(() => issuedAt + 29_999))).toBe(0)
    expect(await refreshesOf(() => token(() => issuedAt + 30_000))).toBe(1)
  })

  it.each([
    ['has expired', 0],
    ['is good for a while', -30_000],
  ])('is none where the login ends while others renew it, and what was kept %s', async (_, ms) => {
    let waiting: Promise<unknown> | undefined
    await locked(
      `${store.folder}/${id}.lock`,
      async () => {
        waiting = token(later(ms))
        store.remove(id)
      },
      signal,
    )
    await expect(waiting).rejects.toThrow('is over')
  })

  it('is not that of another user, whatever the issuer gives', async () => {
    id = store.write({ ...login, subject: 'emil' })
    await expect(token(later())).rejects.toThrow('gave the token of another user')
    expect(store.read(id)?.refreshToken).toBeUndefined()
  })

  it('is asked for again later where the issuer refuses for another reason than that the login is over', async () => {
    id = store.write({ ...login, clientId: 'other' })
    await expect(token(later())).rejects.toThrow('refuses')
    expect(store.read(id)?.refreshToken).toBe(login.refreshToken)
  })

  it('is over where the issuer renews it without an ID token: its refresh token is used up', async () => {
    const scripted = await startIssuer(await signingKey('one'))
    onTestFinished(() => scripted.close())
    const answers: Readonly<Record<string, object>> = {
      '/token': { access_token: 'x', token_type: 'bearer' },
    }
    const document = { issuer: scripted.url, token_endpoint: `${scripted.url}/token` }
    scripted.script = path => ({ body: JSON.stringify(answers[path] ?? document) })
    const { url: issuer, certificateAuthority: issuerCertificateAuthority } = scripted
    id = store.write({ ...login, issuer, issuerCertificateAuthority })
    await expect(token(later())).rejects.toThrow('renews no ID tokens')
    expect(store.read(id)?.refreshToken).toBeUndefined()
  })

  it('forgets a failure of before when it is renewed', async () => {
    store.write({ ...login, failure: { at: 0, message: 'away' } })
    await token(later())
    expect(store.read(id)?.failure).toBeUndefined()
  })

  it('is renewed once by twenty who want it at the same time, and all get it', async () => {
    let tokens: readonly { readonly token: string }[] = []
    const asked = await refreshesOf(async () => {
      store.write({ ...login, issuedAt: 0, expiresAt: 1 })
      tokens = await Promise.all(Array.from({ length: 20 }, () => token()))
    })
    expect(asked).toBe(1)
    expect(new Set(tokens.map(one => one.token))).toEqual(new Set([store.read(id)?.idToken]))
  })

  it('says to log in when the issuer refuses, and shows the refresh token to nobody any more', async () => {
    store.write({ ...login, refreshToken: 'invented', expiresAt: 1, issuedAt: 0 })
    const asked = await refreshesOf(async () => {
      const answers = await Promise.allSettled(Array.from({ length: 5 }, () => token()))
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: 'rejected',
          reason: { message: expect.stringContaining('run "kairship login --server https://kairship.test"') },
        })
    })
    expect(asked).toBe(1)
    expect(store.read(id)?.refreshToken).toBeUndefined()
  })

  it('ends the whole login at the issuer when a refresh token comes twice', async () => {
    await token(later())
    const renewed = store.read(id)
    store.write({ ...login, expiresAt: 1, issuedAt: 0 })
    await expect(token()).rejects.toThrow('is over')
    if (renewed) store.write({ ...renewed, expiresAt: 1, issuedAt: 0 })
    await expect(token()).rejects.toThrow('is over')
  })

  it('counts until it expires where the issuer cannot be reached; then those who wait do not try one after another', async () => {
    const away = { ...login, issuer: 'https://127.0.0.1:9' }
    id = store.write(away)
    expect((await token(() => login.expiresAt - 1_000)).token).toBe(login.idToken)
    await expect(token(later(10_000))).rejects.toThrow('the issuer https://127.0.0.1:9 cannot be used')
    const before = store.read(id)?.failure
    await expect(token(later(11_000))).rejects.toThrow('cannot be used')
    expect(store.read(id)?.failure).toEqual(before)
    await expect(token(later(15_000))).rejects.toThrow('cannot be used')
    expect(store.read(id)?.failure?.at).toBe(login.expiresAt + 15_000)
    expect(store.read(id)?.refreshToken).toBe(login.refreshToken)
  })

  it('is not renewed where the next refresh token could not be kept: the one that there is stays good', async () => {
    const write = vi.spyOn(store, 'write').mockImplementation(() => {
      throw new CommandError('the disk is full', ExitCode.failed)
    })
    const asked = await refreshesOf(async () => {
      expect((await token(() => login.expiresAt - 1_000)).token).toBe(login.idToken)
      await expect(token(later())).rejects.toThrow('the disk is full')
    })
    expect(asked).toBe(0)
    write.mockRestore()
    expect(await refreshesOf(() => token(later()))).toBe(1)
  })

  it('counts until it expires where its lock cannot be written', async () => {
    mkdirSync(join(store.folder, `${id}.lock.1`))
    const asked = await refreshesOf(async () => {
      expect((await token(() => login.expiresAt - 1)).token).toBe(login.idToken)
      await expect(token(later())).rejects.toThrow(/\.lock cannot be used: EISDIR/)
    })
    expect(asked).toBe(0)
  })

  it('is none after the login has ended', async () => {
    store.remove(id)
    await expect(token()).rejects.toThrow('run "kairship login"')
  })
})

describe('the credential for kubectl', () => {
  const print = async (environment: object = {}) => {
    let text = ''
    const out = (more: string) => {
      text += more
    }
    await credential(
      { login: id, execApiVersion: 'v1' },
      { out, signal, store },
      environment as NodeJS.ProcessEnv,
    )
    return text
  }

  it.each(['v1', 'v1beta1'])(
    'answers in the version %s that kubectl asks in, with a time at which to ask again',
    async version => {
      const apiVersion = `client.authentication.k8s.io/${version}`
      const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } })
      expect(JSON.parse(await print({ KUBERNETES_EXEC_INFO: info }))).toEqual({
        apiVersion,
        kind: 'ExecCredential',
        status: {
          token: login.idToken,
          expirationTimestamp: new Date(login.expiresAt - 60_000).toISOString(),
        },
      })
    },
  )

  it('is to be asked for again at once, and not earlier, where it could not be renewed in time', async () => {
    const began = Date.now()
    id = store.write({ ...login, issuer: 'https://127.0.0.1:9', issuedAt: 0, expiresAt: began + 30_000 })
    const { status } = JSON.parse(await print())
    expect(status.token).toBe(login.idToken)
    expect(Date.parse(status.expirationTimestamp)).toBeGreaterThanOrEqual(began)
  })

  it('never has the refresh token', async () => {
    expect(await print()).not.toContain(login.refreshToken)
  })

  it('is refused in a version that is not known, and without a login', async () => {
    const info = JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v9' })
    await expect(print({ KUBERNETES_EXEC_INFO: info })).rejects.toThrow('client.authentication.k8s.io/v9')
    await expect(print({ KUBERNETES_EXEC_INFO: '{' })).rejects.toThrow('no JSON')
    id = ''
    await expect(print()).rejects.toThrow('--login is missing')
  })
})

describe('the end of a login', () => {
  it('is withdrawn at the issuer: a copy of its refresh token is refused', async () => {
    expect(await endLogin(login, { store, signal })).toBe('withdrawn')
    expect(store.read(id)).toBeUndefined()
    store.write({ ...login, expiresAt: 1, issuedAt: 0 })
    await expect(token()).rejects.toThrow('is over')
  })

  it('is forgotten here also where the issuer cannot be reached, and says that it was not withdrawn', async () => {
    const away = { ...login, issuer: 'https://127.0.0.1:9' }
    id = store.write(away)
    await expect(endLogin(away, { store, signal })).rejects.toThrow('cannot be used')
    expect(store.read(id)).toBeUndefined()
  })

  it('is not said to be forgotten where its folder cannot be written', async () => {
    mkdirSync(join(store.folder, `${id}.lock.1`))
    const context = { out: () => undefined, interrupted: signal, store }
    await expect(logout({ server: login.server }, context)).rejects.toThrow(
      /^the login of \S+ goes on, here and at its issuer: .*\.lock cannot be used: EISDIR/,
    )
    expect(store.read(id)).toEqual(login)
  })
})

it('a login stays good over a restart of an issuer that keeps its state', async () => {
  const [dataDir, tls] = [join(folder, 'data'), await tlsUnderTest()]
  const first = await issuerUnderTest({ dataDir, tls })
  const made = await loggedIn(first)
  const { url, password } = first
  await first.close()
  const second = await issuerUnderTest({ dataDir, tls })
  try {
    expect(second).toMatchObject({ url, password })
    id = store.write({ ...made, expiresAt: 1, issuedAt: 0 })
    expect((await token()).token).not.toBe(made.idToken)
  } finally {
    await second.close()
  }
})
