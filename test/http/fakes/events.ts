import type { testApi } from './api.js'

/** One event of a stream. */
export interface Received {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly data: any
}

/** Opens a stream over REST and reads it event by event; comments are kept apart. */
export async function open(
  { app }: Pick<ReturnType<typeof testApi>, 'app'>,
  token: string,
  path: string,
  headers: Record<string, string> = {},
) {
  const hangUp = new AbortController()
  const response = await app.request(
    `/apis/kairship.io/v1alpha1${path}`,
    { headers: { authorization: `Bearer ${token}`, ...headers }, signal: hangUp.signal },
    {},
  )
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const comments: string[] = []
  const next = async (): Promise<Received | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block.startsWith(':')) comments.push(block)
        else return parse(block)
        continue
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
  }
  const take = async (count: number) => {
    const found: (Received | undefined)[] = []
    for (let index = 0; index < count; index++) found.push(await next())
    return found
  }
  return { response, next, take, hangUp, comments, cancel: () => reader.cancel() }
}

function parse(block: string): Received {
  const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s).slice(0, 2)))
  return { ...fields, data: JSON.parse(fields.data) } as Received
}
