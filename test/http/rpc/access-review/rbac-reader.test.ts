import { describe, expect, it } from 'vitest'
import { AnswerTooLargeError } from '../../../../actors/kube/answer.js'
import type { OwnConnection } from '../../../../http/objects/requests/own-requests.js'
import { readRbac } from '../../../../http/rpc/access-review/rbac-reader.js'
import { Code } from '../../../../transcoding/code.js'

/** A server whose list of ClusterRoleBindings has these pages, again and again where `isEndless`. */
function serving(page: readonly object[], { isEndless = false } = {}) {
  const asked: { readonly path: string; readonly maxAnswerBytes?: number }[] = []
  const connection = {
    request: async (request: (typeof asked)[number]) => {
      asked.push(request)
      if (asked.length > 1_000) throw new Error('asked for a thousand pages')
      const items = request.path.endsWith('/clusterrolebindings') ? page : []
      return { items, metadata: { continue: isEndless && items === page ? 'more' : '' } }
    },
  } as unknown as OwnConnection
  return { asked, read: () => readRbac(connection, { prefix: '' }, '') }
}

const binding = (more: object, metadata: object = {}) => ({
  ...{ metadata: { name: 'b', ...metadata }, roleRef: { kind: 'ClusterRole', name: 'view' } },
  ...more,
})

describe('RBAC that is read of an API server', () => {
  it('keeps what decides, and nothing else that may be large', async () => {
    const subjects = [{ kind: 'User', name: 'ann' }]
    const labels = { a: 'b' }
    const annotations = { note: 'x'.repeat(1_000) }
    const { clusterRoleBindings } = await serving([
      binding({ subjects, status: 'x' }, { labels, annotations, managedFields: [{}] }),
    ]).read()
    expect(clusterRoleBindings).toEqual([
      binding({ kind: 'ClusterRoleBinding', apiVersion: undefined, subjects }, { labels }),
    ])
  })

  it('is not looked at where a server has more of it than any fleet needs', async () => {
    const subjects = Array.from({ length: 1_000 }, (_, index) => ({ kind: 'User', name: `user-${index}` }))
    const { read, asked } = serving(
      Array.from({ length: 100 }, () => binding({ subjects })),
      {
        isEndless: true,
      },
    )
    await expect(read()).rejects.toThrow('there are more than 32 MiB of RBAC')
    expect(asked.length).toBeLessThan(20)
    expect(asked.map(({ maxAnswerBytes }) => maxAnswerBytes)).toEqual(asked.map(() => 16 << 20))
  })

  it('is refused where a server goes on and on without an object', async () => {
    const { read } = serving([], { isEndless: true })
    await expect(read()).rejects.toThrow('the list of ClusterRoleBinding objects has no end')
  })

  it('is not looked at where one page is too large, and that is said', async () => {
    const cause = new AnswerTooLargeError(1)
    const request = () => Promise.reject(new Error('GET /apis: too large', { cause }))
    await expect(readRbac({ request } as unknown as OwnConnection, { prefix: '' }, '')).rejects.toMatchObject(
      { code: Code.RESOURCE_EXHAUSTED },
    )
  })
})
