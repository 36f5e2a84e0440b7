import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const mia = { user: 'mia', groups: [], isRenewable: false }
const never = new AbortController().signal
let requests: string[]
let notified: number
/** What the server answers, by request; 401 to all others. */
let answers: Record<string, () => Response>

beforeEach(() => {
  requests = []
  notified = 0
  answers = {}
  vi.stubGlobal('history', { state: null, replaceState: () => undefined })
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body = '' } = {}) => {
    const request = [method, path, body].filter(Boolean).join(' ')
    requests.push(request)
    return answers[request]?.() ?? refused(401)
  })
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      postMessage = () => {
        notified += 1
      }
      close = () => undefined
    },
  )
})
afterEach(() => vi.unstubAllGlobals())

const accepted = () => Response.json(mia)
const refused = (status: number) => Response.json({ message: `no ${status}` }, { status })

/** The page as it is opened by an address with this fragment. */
async function opened(hash: string) {
  vi.resetModules()
  vi.stubGlobal('location', { hash, pathname: '/', search: '' })
  const { sessionQuery, dropCode, replaceByCode } = await import('../../console/session/session-query.js')
  return { session: () => sessionQuery.queryFn({ signal: never }), dropCode, replaceByCode }
}

const SIGN_IN = 'POST /console/session {"code":"abc"}'
const COOKIE = 'GET /console/session'
const RENEWAL = 'POST /console/session/renewal'

it('signs in by the code of the link once, and notifies the other tabs', async () => {
  const { session } = await opened('#code=abc')
  answers = { [SIGN_IN]: accepted, [COOKIE]: accepted }
  expect([await session(), requests, notified]).toEqual([mia, [SIGN_IN], 1])
  expect([await session(), requests, notified]).toEqual([mia, [SIGN_IN, COOKIE], 1])
})

it.each([400, 401, 403])('does not use a code again that was refused with %i', async status => {
  const { session } = await opened('#code=abc')
  answers = { [SIGN_IN]: () => refused(status), [COOKIE]: accepted }
  await expect(session()).rejects.toThrow(`no ${status}`)
  expect([await session(), requests, notified]).toEqual([mia, [SIGN_IN, COOKIE], 0])
})

it.each([409, 429, 503])('uses a code again that failed with %i', async status => {
  const { session } = await opened('#code=abc')
  answers = { [SIGN_IN]: () => refused(status) }
  await expect(session()).rejects.toThrow(`no ${status}`)
  answers = { [SIGN_IN]: accepted }
  expect([await session(), requests]).toEqual([mia, [SIGN_IN, SIGN_IN]])
})

it('does not use a code that was dropped', async () => {
  const { session, dropCode, replaceByCode } = await opened('#code=abc')
  dropCode()
  answers = { [COOKIE]: accepted }
  expect([await session(), await replaceByCode(), requests]).toEqual([mia, null, [COOKIE]])
})

it('replaces the current user by the code only where that is wanted', async () => {
  const { replaceByCode } = await opened('#code=abc')
  const replacing = 'POST /console/session {"code":"abc","replace":true}'
  answers = { [replacing]: accepted }
  expect([await replaceByCode(), await replaceByCode(), requests]).toEqual([mia, null, [replacing]])
})

it('reads the session of the cookie, then renews it, and has none where neither is there', async () => {
  const { session } = await opened('')
  expect([await session(), requests]).toEqual([null, [COOKIE, RENEWAL]])
  answers = { [RENEWAL]: accepted }
  expect(await session()).toEqual(mia)
})
