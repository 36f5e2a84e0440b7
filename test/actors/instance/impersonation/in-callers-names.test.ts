import { afterEach, describe, expect, it } from 'vitest'
import { inCallersNames } from '../../../../actors/instance/impersonation/in-callers-names.js'
import { kubeConnector } from '../../../../actors/kube/connector.js'
import type { KubeApi, RawSink } from '../../../../ports/kube-api.js'
import { fakeLog } from '../../../http/fakes/log.js'
import { kubeconfig } from '../../kube/a-kubeconfig.js'
import { type Received, type ScriptedServer, scriptedServer } from '../../kube/scripted-server.js'

let server: ScriptedServer
let api: KubeApi
afterEach(async () => {
  await api.close()
  await server.close()
})

/** A control plane that gives tokens, forbids them or is not available, as it is at the time, under a kubeconfig with the token `own`. */
async function start({
  forbids = false,
  state = undefined as { readonly code: number } | undefined,
  now = () => performance.now(),
  ownCredentialStandsIn = false,
  report = (_: unknown): unknown => undefined,
} = {}) {
  const code = () => state?.code ?? (forbids ? 403 : 200)
  server = await scriptedServer(({ url }, response) => {
    const isToken = url.endsWith('/token')
    const isRefused = isToken && code() !== 200
    const body = isToken && !isRefused ? { status: { token: 'minted' } } : {}
    response.writeHead(isRefused ? code() : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        isRefused
          ? {
              kind: 'Status',
              status: 'Failure',
              reason: code() === 403 ? 'Forbidden' : 'ServiceUnavailable',
              message: 'robot cannot create',
              code: code(),
            }
          : body,
      ),
    )
  })
  const connector = kubeConnector()
  const text = kubeconfig({ server: server.url, user: { token: 'own' } })
  const log = fakeLog()
  api = inCallersNames(await connector.connect(text), {
    ...{
      instance: 'north',
      kubeconfig: text,
      connector,
      mayMake: () => true,
      ownCredentialStandsIn,
      log,
      report,
      now,
    },
  })
  return log
}

/** Sends as the proxy does; resolves with the status, or with the error. */
const send = (path: string) =>
  new Promise<number | Error>(resolve => {
    let status = 0
    const sink: RawSink = {
      head: code => {
        status = code
      },
      data: () => true,
      end: () => resolve(status),
      failed: resolve,
    }
    const headers = ['Impersonate-User', 'ada']
    api.upstream?.send({ method: 'GET', path, headers, long: false, headTimeoutMs: 5_000 }, sink)
  })

const authorizationOf = (path: string) =>
  server.received.find(({ url }: Received) => url === path)?.headers.authorization

describe('the connection to an instance', () => {
  it('asks for no token before a caller comes', async () => {
    await start()
    await api.request({ method: 'GET', path: '/own' })
    expect(server.received.map(({ url }) => url)).toEqual(['/own'])
  })

  it('sends requests of callers under the account, and its own under the kubeconfig', async () => {
    await start()
    expect(await send('/callers')).toBe(200)
    await api.request({ method: 'GET', path: '/own' })
    expect([authorizationOf('/callers'), authorizationOf('/own')]).toEqual(['Bearer minted', 'Bearer own'])
  })

  it('sends no request of a caller where the account is not allowed, and says so once in the log', async () => {
    const log = await start({ forbids: true })
    expect([await send('/callers'), await send('/callers')]).toEqual([
      expect.objectContaining({ name: 'ImpersonationRefusedError' }),
      expect.objectContaining({ name: 'ImpersonationRefusedError' }),
    ])
    expect(authorizationOf('/callers')).toBeUndefined()
    expect(log.lines.filter(line => JSON.stringify(line).includes('impersonate callers'))).toHaveLength(1)
  })

  it('reports once that callers are impersonated, and nothing before one comes', async () => {
    const reports: unknown[] = []
    await start({ report: answer => reports.push(answer) })
    await api.request({ method: 'GET', path: '/own' })
    expect(reports).toEqual([])
    await send('/callers')
    await send('/callers')
    expect(reports).toEqual([{ ok: true }])
  })

  it('reports once why callers cannot be impersonated, and that the kubeconfig stands in where it does', async () => {
    for (const ownCredentialStandsIn of [false, true]) {
      const reports: { readonly ok: boolean; readonly failure?: { readonly message: string } }[] = []
      await start({ forbids: true, ownCredentialStandsIn, report: answer => reports.push(answer as never) })
      await send('/callers')
      await send('/callers')
      expect(reports).toMatchObject([{ ok: false, failure: { reason: 'ImpersonationRefused' } }])
      expect(reports[0]?.failure?.message).toContain('robot cannot create')
      expect(reports[0]?.failure?.message.includes('impersonateWithOwnCredential')).toBe(
        ownCredentialStandsIn,
      )
      if (!ownCredentialStandsIn) await api.close().then(() => server.close())
    }
  })

  it('reports and logs again when the answer is another, and not with each token', async () => {
    const reports: { readonly ok: boolean }[] = []
    const state = { code: 403 }
    const clock = { now: 0 }
    const report = (answer: unknown) => reports.push(answer as never)
    const log = await start({ state, now: () => clock.now, report })
    for (const code of [403, 403, 503, 200, 200, 403]) {
      state.code = code
      await send('/callers')
      // Longer than a token counts.
      clock.now += 3_700_000
    }
    expect(reports.map(({ ok }) => ok)).toEqual([false, true, false])
    const said = log.lines.filter(({ level }) => level === 'warn')
    expect(said.map(({ message }) => message)).toEqual(
      Array(3).fill('there is no token to impersonate callers with'),
    )
  })

  it('says again that there is no token after there was one', async () => {
    const state = { code: 403 }
    const clock = { now: 0 }
    const log = await start({ state, now: () => clock.now })
    for (const code of [403, 200, 403]) {
      state.code = code
      await send('/callers')
      clock.now += 3_700_000
    }
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2)
  })

  it('sends them under the kubeconfig where that is allowed to stand in', async () => {
    await start({ forbids: true, ownCredentialStandsIn: true })
    expect(await send('/callers')).toBe(200)
    expect(authorizationOf('/callers')).toBe('Bearer own')
  })

  it('keeps its tokens out of the log', async () => {
    const log = await start()
    await send('/callers')
    expect(JSON.stringify(log.lines)).not.toContain('minted')
  })
})
