/** The parts of a browser's window that the script uses: the page is compiled without the DOM's types. */
export interface PageWindow {
  readonly document: Pick<Element, 'querySelector' | 'querySelectorAll'>
  fetch(url: string, init: RequestInit): Promise<Response>
  readonly FormData: new (form: Element) => Iterable<readonly [string, unknown]>
}

interface Element {
  readonly dataset: Readonly<Record<string, string | undefined>>
  value: string
  textContent: string | null
  querySelector(selector: string): Element | null
  querySelectorAll(selector: string): Iterable<Element>
  addEventListener(type: string, listener: (event: { preventDefault(): void }) => void): void
}

/**
 * Sends a form of the documentation page as a call and shows the answer as it arrives. It runs in the browser as its own
 * source text, so it refers to nothing but its parameter and the language. Field names say where a value goes:
 * `path:name`, `query:page`, `body`. Empty query fields are not sent.
 */
export function tryCalls(page: PageWindow): void {
  /** Characters of an answer that are shown: a stream never ends by itself. */
  const SHOWN = 200_000
  const token = page.document.querySelector('#token')
  for (const form of page.document.querySelectorAll('form')) {
    const output = form.querySelector('pre')
    let running: AbortController | undefined
    const show = (text: string) => {
      if (output) output.textContent = text.slice(-SHOWN)
    }
    const requestOf = (signal: AbortSignal): { url: string; init: RequestInit } => {
      let url = form.dataset.path ?? ''
      const query = new URLSearchParams()
      const headers: Record<string, string> = {}
      const init: RequestInit = { method: form.dataset.verb ?? 'GET', headers, signal }
      for (const [field, value] of new page.FormData(form)) {
        const text = String(value)
        const name = field.slice(field.indexOf(':') + 1)
        if (field.startsWith('path:')) url = url.replace(`{${name}}`, encodeURIComponent(text))
        else if (field.startsWith('query:') && text !== '') query.append(name, text)
        else if (field === 'body') init.body = text
      }
      if (token && token.value !== '') headers.authorization = `Bearer ${token.value}`
      if (init.body !== undefined) headers['content-type'] = 'application/json'
      return { url: query.size > 0 ? `${url}?${query}` : url, init }
    }
    const send = async (signal: AbortSignal): Promise<void> => {
      const { url, init } = requestOf(signal)
      show('…')
      const response = await page.fetch(url, init)
      const head = `${response.status} ${response.statusText}\n\n`
      if (response.headers.get('content-type') === 'application/json') {
        show(head + JSON.stringify(await response.json(), null, 2))
        return
      }
      let text = head
      const decoder = new TextDecoder()
      const reader = response.body?.getReader()
      for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
        text = (text + decoder.decode(step.value, { stream: true })).slice(-SHOWN)
        show(text)
      }
    }
    form.addEventListener('submit', event => {
      event.preventDefault()
      running?.abort()
      running = new AbortController()
      const { signal } = running
      send(signal).catch(error => {
        if (!signal.aborted) show(String(error))
      })
    })
    form.querySelector('[data-stop]')?.addEventListener('click', () => running?.abort())
  }
}
