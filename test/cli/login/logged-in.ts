import { browserFlow } from '../../../cli/login/flows.js'
import { connectIssuer } from '../../../cli/login/issuer-client.js'
import type { Login } from '../../../cli/login/login-store.js'
import type { IssuerUnderTest } from '../../playground/issuer/running-issuer.js'
import type { Page } from './scripted-browser.js'

/** Logs a user of the issuer in through its pages, as `kairship login` does. */
export async function loggedIn(issuer: IssuerUnderTest, name = 'ada'): Promise<Login> {
  const client = await connectIssuer(issuer.place)
  const signal = new AbortController().signal
  let page: Promise<Page> | undefined
  try {
    const granted = await browserFlow(client, {
      err: () => undefined,
      signal,
      prompt: 'consent',
      open: async url => {
        page = signIn(issuer, url.href, name)
        return true
      },
    })
    await page
    return { server: 'https://kairship.test', ...issuer.place, ...granted, loggedInAt: Date.now() }
  } finally {
    await client.close()
  }
}

/** Opens an address of the issuer, and signs in there. @returns the page at which that ended */
export async function signIn(
  issuer: IssuerUnderTest,
  url: string,
  name = 'ada',
  password = issuer.password,
): Promise<Page> {
  const browser = issuer.browser()
  return browser.submit(await browser.open(url), { name, password })
}
