import { Agent, fetch, type Response } from 'undici'

/** A browser without a window: it keeps cookies, follows redirects, and sends forms: by itself those of pages that a script would send. */
export class ScriptedBrowser {
  readonly #agent: Agent
  readonly #cookies = new Map<string, string>()

  /** @param ca PEM of what it trusts */
  constructor(ca: string) {
    this.#agent = new Agent({ connect: { ca } })
  }

  /** Opens an address, and what it leads to. */
  async open(url: string): Promise<Page> {
    return this.#follow(url, { method: 'GET' })
  }

  /** Sends the form of a page that has this button, with these values. */
  async submit(page: Page, values: Readonly<Record<string, string>>, form = 0): Promise<Page> {
    const [, action = '', fields = ''] =
      [...page.text.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)][form] ?? []
    const hidden = [...fields.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    )
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...values }).toString()
    return this.#follow(new URL(action.replaceAll('&amp;', '&'), page.url).href, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }

  /** The `Cookie` header that it sends. */
  get cookies(): string {
    return [...this.#cookies].map(pair => pair.join('=')).join('; ')
  }

  /** The value of a cookie. */
  cookie(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async #follow(
    url: string,
    init: { method: string; body?: string; headers?: Record<string, string> },
  ): Promise<Page> {
    const headers = { ...init.headers, cookie: this.cookies }
    const response = await fetch(url, { ...init, headers, redirect: 'manual', dispatcher: this.#agent })
    this.#keep(response)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || !location) {
      const page = { url, status: response.status, text: await response.text() }
      // The one script of the provider's pages.
      return page.text.includes('document.forms[0].submit()') ? this.submit(page, {}) : page
    }
    await response.body?.cancel()
    return this.#follow(new URL(location, url).href, { method: 'GET' })
  }

  #keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}

/** A page that a browser shows. */
export interface Page {
  readonly url: string
  readonly status: number
  readonly text: string
}
