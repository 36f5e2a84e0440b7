import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Debian's Chromium, or the one that `KAIRSHIP_CHROMIUM` names; absent where there is none. Nothing is downloaded. */
export const chromiumPath: string | undefined = [process.env.KAIRSHIP_CHROMIUM, '/usr/bin/chromium'].find(
  path => path !== undefined && existsSync(path),
)

/** A browser that connects to nothing but what it is told to open. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A page of a new visitor, and whatever it complained of. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of its scripts, what its policy refused, and requests that went elsewhere. */
  readonly complaints: readonly string[]
}

/** Opens a page as a new visitor, who trusts the playground's certificate. */
export async function visit(
  browser: Browser,
  origin: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(`threw ${error.message}`))
  page.on('console', message => {
    // A refused request is said by the page itself, where it matters.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text()))
      complaints.push(`logged ${message.text()}`)
  })
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      complaints.push(`requested ${request.url()}`)
  })
  return { context, page, complaints }
}
