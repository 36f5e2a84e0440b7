import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rows } from './rows.js'

/** A Prometheus with the samples of `samples.ts` for `north` and `south`. */
export interface MetricsTarget {
  readonly name: string
  /** `https://host:port` */
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly username: string
  readonly password: string
}

/** Declares what Prometheus' HTTP API answers. A real one is the truth: the same rows run against it and against the double. */
export function metricsConformance(target: () => MetricsTarget): void {
  describe('Prometheus', () => {
    let pool: Pool
    beforeAll(() => {
      pool = new Pool(target().url, { connect: { ca: target().certificateAuthority } })
    })
    afterAll(() => pool?.close())

    const send = async (
      path: string,
      form: Readonly<Record<string, string>>,
      password = target().password,
    ) => {
      const proof = Buffer.from(`${target().username}:${password}`).toString('base64')
      const { statusCode, headers, body } = await pool.request({
        method: 'POST',
        path,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(password && { authorization: `Basic ${proof}` }),
        },
        body: new URLSearchParams(form).toString(),
      })
      return { status: statusCode, type: headers['content-type'], text: await body.text() }
    }

    it.each(rows.map(row => [row.claim, row] as const))(
      '%s',
      async (_claim, { path, form, status, body }) => {
        const answer = await send(`/api/v1/${path}`, form)
        expect(answer.status, answer.text).toBe(status)
        expect(answer.type).toBe('application/json')
        expect(ordered(JSON.parse(answer.text))).toEqual(ordered(body))
      },
    )

    it.each([
      ['none', ''],
      ['a wrong one', 'wrong'],
    ])('refuses a caller with %s for a password', async (_what, password) => {
      const answer = await send('/api/v1/query', { query: '1' }, password)
      expect([answer.status, answer.text]).toEqual([401, 'Unauthorized\n'])
    })

    it('has no other paths', async () => {
      const answer = await send('/api/v1/nothing', {})
      expect([answer.status, answer.text]).toEqual([404, '404 page not found\n'])
    })
  })
}

/** Series come in no order, and so do the parts of a message about several. */
function ordered(body: unknown): unknown {
  const { data, error } = body as { data?: { result: unknown[] }; error?: string }
  // Prometheus notices that the time is over wherever the query is by then.
  if (error?.startsWith('query timed out in')) return { ...(body as object), error: 'query timed out' }
  if (error !== undefined) return { ...(body as object), error: error.split(/[[\]]|, (?=\{)/).sort() }
  if (!Array.isArray(data?.result)) return body
  const result = [...data.result].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return { ...(body as object), data: { ...data, result } }
}
