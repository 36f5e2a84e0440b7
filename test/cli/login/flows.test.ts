import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { browserFlow, deviceFlow, type FlowContext } from '../../../cli/login/flows.js'
import { connectIssuer, type IssuerClient } from '../../../cli/login/issuer-client.js'
import { signingKey, startIssuer } from '../../http/identity/oidc/test-issuer.js'
import { type IssuerUnderTest, issuerUnderTest } from '../../playground/issuer/running-issuer.js'
import { loggedIn, signIn } from './logged-in.js'
import type { Page } from './scripted-browser.js'

let issuer: IssuerUnderTest
let client: IssuerClient
beforeAll(async () => {
  issuer = await issuerUnderTest()
  client = await connectIssuer(issuer.place)
})
afterAll(async () => {
  await client?.close()
  await issuer?.close()
})

const never = new AbortController().signal
setMaxListeners(0, never)

/** A browser login whose browser does this with the address. */
function inBrowser(visit: (url: URL) => Promise<unknown>, signal = never) {
  const visits: Promise<unknown>[] = []
  const context: FlowContext = {
    err: () => undefined,
    signal,
    open: async url => {
      visits.push(visit(url))
      return true
    },
  }
  return { granted: browserFlow(client, context), visited: () => Promise.all(visits) }
}

describe('a login in a browser on this machine', () => {
  it('gives an ID token of the user who signed in, with their groups, and a refresh token', async () => {
    const login = await loggedIn(issuer, 'emil')
    expect(login).toMatchObject({ subject: 'emil', user: 'emil' })
    expect(login.refreshToken).toMatch(/./)
    const claims = JSON.parse(Buffer.from(login.idToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ iss: issuer.url, aud: 'kairship-cli', sub: 'emil', groups: ['editors'] })
    expect(login.expiresAt - login.issuedAt).toBe(600_000)
  })

  it('sends the browser to a port of 127.0.0.1 with a challenge, a state and a nonce that are new each time', async () => {
    const asked: URL[] = []
    for (let round = 0; round < 2; round++) {
      const ending = new AbortController()
      const { granted } = inBrowser(async url => {
        asked.push(url)
        ending.abort(new Error('enough'))
      }, ending.signal)
      await expect(granted).rejects.toThrow('enough')
    }
    const [one, other] = asked.map(url => Object.fromEntries(url.searchParams))
    expect(one).toMatchObject({
      code_challenge_method: 'S256',
      response_type: 'code',
      client_id: 'kairship-cli',
    })
    expect(one?.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    for (const name of ['code_challenge', 'state', 'nonce']) expect(one?.[name]).not.toBe(other?.[name])
  })

  it('goes on after requests that are not the redirect that it waits for', async () => {
    const answers: number[] = []
    const { granted, visited } = inBrowser(async url => {
      const callback = url.searchParams.get('redirect_uri') ?? ''
      const state = url.searchParams.get('state')
      const ask = async (address: string, init?: RequestInit) =>
        answers.push((await fetch(address, init)).status)
      await ask(`${callback}?code=stolen&state=other`)
      await ask(`${callback}?code=stolen`)
      await ask(callback.replace('/callback', '/'))
      await ask(`${callback}?code=stolen&state=${state}`, { method: 'POST' })
      await ask(`${callback.replace('127.0.0.1', 'localhost')}?code=stolen&state=${state}`)
      await signIn(issuer, url.href)
    })
    expect((await granted).subject).toBe('ada')
    await visited()
    expect(answers).toEqual([400, 400, 404, 404, 404])
  })

  it('says what the issuer refuses, in the terminal and in the browser', async () => {
    let page: Response | undefined
    const { granted, visited } = inBrowser(async url => {
      const to = new URL(url.searchParams.get('redirect_uri') ?? '')
      to.search = new URLSearchParams({
        state: url.searchParams.get('state') ?? '',
        iss: issuer.url,
        error: 'access_denied',
        error_description: '<b>not you</b>',
      }).toString()
      page = await fetch(to)
    })
    await expect(granted).rejects.toThrow('refuses: <b>not you</b>')
    await visited()
    expect(page?.status).toBe(400)
    expect(await page?.text()).toContain('&lt;b&gt;not you&lt;/b&gt;')
  })

  it('refuses a code of another login, and a redirect in the name of another issuer', async () => {
    for (const change of [{ code: 'invented' }, { code: 'invented', iss: 'https://other.test' }]) {
      const { granted, visited } = inBrowser(async url => {
        const to = new URL(url.searchParams.get('redirect_uri') ?? '')
        const state = url.searchParams.get('state') ?? ''
        to.search = new URLSearchParams({ state, iss: issuer.url, ...change }).toString()
        await fetch(to)
      })
      await expect(granted).rejects.toThrow(/refuses|cannot be used/)
      await visited()
    }
  })

  it('is not let in with a wrong password, and may try again', async () => {
    const pages: Page[] = []
    const { granted, visited } = inBrowser(async url => {
      const browser = issuer.browser()
      const form = await browser.open(url.href)
      pages.push(await browser.submit(form, { name: 'ada', password: 'wrong' }))
      pages.push(await browser.submit(form, { name: 'ada', password: issuer.password }))
    })
    expect((await granted).subject).toBe('ada')
    await visited()
    expect(pages.map(({ status }) => status)).toEqual([401, 200])
    expect(pages[1]?.text).toContain('You are logged in')
  })

  it('is not let in under a name that nobody has, or with more than a name and a password', async () => {
    const pages: Page[] = []
    const { granted, visited } = inBrowser(async url => {
      const browser = issuer.browser()
      const form = await browser.open(url.href)
      pages.push(await browser.submit(form, { name: 'mallory', password: issuer.password }))
      pages.push(await browser.submit(form, { name: 'ada', password: 'x'.repeat(5_000) }))
      pages.push(await browser.submit(form, { name: 'ada', password: issuer.password }))
    })
    expect((await granted).subject).toBe('ada')
    await visited()
    expect(pages.map(({ status }) => status)).toEqual([401, 413, 200])
  })

  it('goes on as the user who is signed in there, or as another one', async () => {
    const browser = issuer.browser()
    const as = async (submit: (page: Page) => Promise<unknown>) => {
      const { granted, visited } = inBrowser(async url => submit(await browser.open(url.href)))
      const { subject } = await granted
      await visited()
      return subject
    }
    const values = (name: string) => ({ name, password: issuer.password })
    expect(await as(page => browser.submit(page, values('ada')))).toBe('ada')
    expect(await as(page => browser.submit(page, {}, 0))).toBe('ada')
    expect(await as(page => browser.submit(page, values('vera'), 1))).toBe('vera')
  })

  it('ends when it is interrupted, and listens no more', async () => {
    const ending = new AbortController()
    let address = ''
    const { granted } = inBrowser(async url => {
      address = url.searchParams.get('redirect_uri') ?? ''
      ending.abort(new Error('interrupted'))
    }, ending.signal)
    await expect(granted).rejects.toThrow('interrupted')
    await expect(fetch(address)).rejects.toThrow('fetch failed')
  })
})

describe('a login with a code for another device', () => {
  /** Confirms the code that was shown, as another person's browser would. */
  async function confirm(shown: string, name: string, abort = false): Promise<Page> {
    const [, url = ''] = /(https:\S+user_code=\S+)/.exec(shown) ?? []
    const browser = issuer.browser()
    const question = await browser.open(url)
    const form = await browser.submit(question, abort ? { abort: 'yes' } : {})
    return abort ? form : browser.submit(form, { name, password: issuer.password })
  }
  const begun = (visit: (shown: string) => void, signal = never) =>
    deviceFlow(client, { err: visit, signal, open: async () => false })

  it('gives the token of the user who confirmed the code', async () => {
    let page: Promise<Page> | undefined
    const granted = await begun(shown => {
      page = confirm(shown, 'vera')
    })
    expect(granted).toMatchObject({ subject: 'vera' })
    expect((await page)?.text).toContain('You are logged in')
  })

  it('shows from where it was begun before anything is granted', async () => {
    const ending = new AbortController()
    let page: Promise<Page> | undefined
    const login = begun(shown => {
      const [, url = ''] = /(https:\S+user_code=\S+)/.exec(shown) ?? []
      const browser = issuer.browser()
      page = browser.open(url)
      void page.finally(() => ending.abort(new Error('seen')))
    }, ending.signal)
    await expect(login).rejects.toThrow('seen')
    expect((await page)?.text).toMatch(/kairship login<\/strong>, started at 127\.0\.0\.1/)
  })

  it('ends where its user stops it', async () => {
    const login = begun(shown => void confirm(shown, 'vera', true))
    await expect(login).rejects.toThrow('refuses')
  })
})

describe('an issuer', () => {
  it('is refused over plain HTTP', async () => {
    const place = { ...issuer.place, issuer: issuer.url.replace('https', 'http') }
    await expect(connectIssuer(place)).rejects.toThrow('https:// only')
  })

  it('is refused with pages over plain HTTP, and with more of a document than any issuer has', async () => {
    const scripted = await startIssuer(await signingKey('one'))
    onTestFinished(() => scripted.close())
    const document = { issuer: scripted.url, authorization_endpoint: 'http://127.0.0.1:9/auth' }
    let more = {}
    scripted.script = () => ({ type: 'application/json', body: JSON.stringify({ ...document, ...more }) })
    const place = {
      ...issuer.place,
      issuer: scripted.url,
      issuerCertificateAuthority: scripted.certificateAuthority,
    }
    const plain = await connectIssuer(place)
    onTestFinished(() => plain.close())
    const context = { err: () => undefined, signal: never, open: async () => true }
    await expect(browserFlow(plain, context)).rejects.toThrow('must begin with https://')
    more = { more: 'x'.repeat(1 << 20) }
    await expect(connectIssuer(place)).rejects.toThrow('cannot be used')
  })

  it('is refused with a certificate of another authority, and with an authority that is none', async () => {
    const { issuerCertificateAuthority: _, ...unknown } = issuer.place
    await expect(connectIssuer(unknown)).rejects.toThrow(/cannot be used: .*certificate/)
    const none = { ...issuer.place, issuerCertificateAuthority: 'PEM' }
    await expect(connectIssuer(none)).rejects.toThrow('no certificate')
  })
})
