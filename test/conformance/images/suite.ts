import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { content, digestOf, OCI_INDEX, OCI_MANIFEST, repositories, web } from './content.js'

/** A registry with the content of `content.ts`, that wants a name and a password. */
export interface RegistryTarget {
  /** `https://host:port` */
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly username: string
  readonly password: string
}

/** Declares what Docker's registry answers. A real one is the truth: the same rows run against it and against the double. */
export function registryConformance(target: () => RegistryTarget): void {
  describe('Docker’s registry', () => {
    let pool: Pool
    beforeAll(() => {
      pool = new Pool(target().url, { connect: { ca: target().certificateAuthority } })
    })
    afterAll(() => pool?.close())

    const get = async (path: string, accept = '*/*', password = target().password) => {
      const proof = Buffer.from(`${target().username}:${password}`).toString('base64')
      const headers = { accept, ...(password && { authorization: `Basic ${proof}` }) }
      const answer = await pool.request({ method: 'GET', path, headers })
      const text = await answer.body.text()
      const type = String(answer.headers['content-type'])
      return { ...answer, text, type, json: type.includes('json') ? JSON.parse(text) : undefined }
    }
    const codeOf = (json: { errors: { code: string }[] }) => json.errors[0]?.code

    it.each([
      ['none', ''],
      ['a wrong one', 'wrong'],
    ])('challenges a caller with %s for a password', async (_what, password) => {
      const { statusCode, headers, json } = await get('/v2/_catalog', '*/*', password)
      expect([statusCode, codeOf(json)]).toEqual([401, 'UNAUTHORIZED'])
      expect(headers['www-authenticate']).toMatch(/^Basic realm="/)
    })

    it('lists its repositories by name', async () => {
      const { statusCode, json, headers } = await get('/v2/_catalog?n=1000')
      expect([statusCode, json, headers.link]).toEqual([200, { repositories }, undefined])
    })

    it('leads from one page to the next by a Link', async () => {
      const seen: string[] = []
      let path: string | undefined = '/v2/_catalog?n=2'
      let pages = 0
      while (path !== undefined) {
        const { json, headers } = await get(path)
        seen.push(...json.repositories)
        path = /^<(\/v2\/_catalog\?[^<>]*)>; rel="next"$/.exec(String(headers.link))?.[1]
        pages += 1
      }
      expect(seen).toEqual(repositories)
      expect(pages).toBeGreaterThanOrEqual(3)
    })

    it('lists the tags of a repository', async () => {
      const { json } = await get('/v2/shop/web/tags/list?n=1000')
      expect(json.name).toBe('shop/web')
      expect([...json.tags].sort()).toEqual(['stable', 'v1', 'v2'])
    })

    it.each([
      ['/v2/shop/none/tags/list', 'NAME_UNKNOWN'],
      ['/v2/shop/web/manifests/none', 'MANIFEST_UNKNOWN'],
    ])('knows no %s', async (path, code) => {
      const { statusCode, json } = await get(path, OCI_MANIFEST)
      expect([statusCode, codeOf(json)]).toEqual([404, code])
    })

    it.each(content.flatMap(one => one.tags.map(tag => [`${one.repository}:${tag}`, one, tag] as const)))(
      'sends the manifest of %s with its type and digest',
      async (_name, { repository, type, body }, tag) => {
        const answer = await get(`/v2/${repository}/manifests/${tag}`, `${OCI_MANIFEST}, ${OCI_INDEX}`)
        expect([answer.statusCode, answer.type, answer.text]).toEqual([200, type, body.toString()])
        expect(answer.headers['docker-content-digest']).toBe(digestOf(body))
      },
    )

    it('knows no manifest of a type that the caller does not accept', async () => {
      const { statusCode, json } = await get('/v2/shop/multi/manifests/latest', 'application/json')
      expect([statusCode, codeOf(json)]).toEqual([404, 'MANIFEST_UNKNOWN'])
    })

    it('sends a manifest by its digest, too', async () => {
      const { text } = await get(`/v2/shop/web/manifests/${digestOf(web.body)}`, OCI_MANIFEST)
      expect(text).toBe(web.body.toString())
    })
  })
}
