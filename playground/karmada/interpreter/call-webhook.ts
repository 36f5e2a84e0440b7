import { request } from 'node:https'
import type { Hook } from '../../../karmada/interpreter/customized/webhook-configuration.js'

/** As long as Karmada waits for a webhook that does not say how long, seconds. */
const DEFAULT_TIMEOUT_SECONDS = 30
/** As much as a webhook may answer: more than any object of Kubernetes, bytes. */
const MAX_ANSWER = 16 * 1024 * 1024

/** A webhook could not be called. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError'
}

/** Where a webhook is. A Service has its DNS name. */
export function addressOf({ clientConfig: { url, service } }: Hook): URL {
  if (url !== undefined) return new URL(url)
  const { namespace = '', name = '', port = 443, path = '' } = service ?? {}
  return new URL(`https://${name}.${namespace}.svc:${port}/${path.replace(/^\//, '')}`)
}

/** Sends a body to a webhook by HTTPS. @returns what it answers, decoded. @throws WebhookCallError */
export async function callWebhook(hook: Hook, body: unknown): Promise<unknown> {
  const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = hook
  const { caBundle } = clientConfig
  const address = addressOf(hook)
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const fail = (error: Error) => reject(new WebhookCallError(`Post "${address.href}": ${error.message}`))
    const timer = setTimeout(
      () => call.destroy(new Error('context deadline exceeded')),
      timeoutSeconds * 1_000,
    )
    const call = request(
      address,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        agent: false,
        ...(caBundle !== undefined && { ca: Buffer.from(caBundle, 'base64') }),
      },
      answer => {
        const chunks: Buffer[] = []
        let size = 0
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_ANSWER) call.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        answer.once('error', fail)
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        )
      },
    )
    call.once('error', fail)
    call.once('close', () => clearTimeout(timer))
    call.end(JSON.stringify(body))
  })
  if (status < 200 || status >= 300)
    throw new WebhookCallError(
      `an error on the server ("${text.slice(0, 200)}") has prevented the request from succeeding`,
    )
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new WebhookCallError(error instanceof Error ? error.message : String(error))
  }
}
