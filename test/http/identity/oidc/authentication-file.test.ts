import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthenticationFile, READ_EVERY_MS } from '../../../../http/identity/oidc/authentication-file.js'
import { fakeLog } from '../../fakes/log.js'
import { manualTime } from './authenticating.js'
import { documentWith, leastIssuer } from './configurations.js'

const one = JSON.stringify(documentWith(leastIssuer))
const two = JSON.stringify(
  documentWith(leastIssuer, {
    ...leastIssuer,
    issuer: { ...leastIssuer.issuer, url: 'https://two.example' },
  }),
)

let folder: string
let path: string
const open: AuthenticationFile[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kairship-authentication-'))
  path = join(folder, 'authentication.yaml')
})
afterEach(async () => {
  for (const file of open.splice(0)) file.close()
  await rm(folder, { recursive: true })
})

async function start(text = one) {
  await writeFile(path, text)
  const time = manualTime()
  const log = fakeLog()
  const metrics: [string, unknown, unknown][] = []
  const file = await AuthenticationFile.open({
    file: path,
    connect: () => ({
      read: (url, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(url)))),
      close: async () => undefined,
    }),
    graceMs: 600_000,
    log,
    meter: {
      count: (name, labels) => metrics.push([name, labels, 1]),
      gauge: (name, value) => metrics.push([name, {}, value]),
      observe: () => undefined,
    },
    now: () => time.now,
    wallClock: time.wallClock,
    schedule: time.schedule,
  })
  open.push(file)
  metrics.splice(0)
  const issuers = () => file.statuses().map(({ issuer }) => issuer)
  return { file, time, log, metrics, issuers }
}
const urls = ['https://issuer.example', 'https://two.example']
const reloads = 'kairship_authentication_config_reloads_total'
const refused = 'kairship_authentication_config_refused'

describe('the authentication configuration’s file', () => {
  it('is read again four times a second, and applied when it changed', async () => {
    const { time, issuers, metrics, log } = await start()
    expect(issuers()).toEqual(urls.slice(0, 1))
    await writeFile(path, two)
    time.pass(READ_EVERY_MS - 1)
    expect(issuers()).toHaveLength(1)
    time.pass(1)
    await expect.poll(issuers).toEqual(urls)
    expect(metrics).toEqual([
      [reloads, { outcome: 'success' }, 1],
      [refused, {}, 0],
    ])
    expect(log.lines).toMatchObject([{ level: 'info', fields: { file: path, issuers: 2 } }])
    await expect.poll(() => time.timers.length).toBe(1)
    await writeFile(path, one)
    time.pass(READ_EVERY_MS)
    await expect.poll(issuers).toEqual(urls.slice(0, 1))
  })

  it('that did not change is not applied, and says nothing', async () => {
    const { file, metrics, log } = await start()
    await file.check()
    await writeFile(path, one)
    await file.check()
    expect([metrics, log.lines]).toEqual([[], []])
  })

  it('that is broken leaves the one before in place, and says so in log, metric and /readyz, once', async () => {
    const { file, issuers, metrics, log } = await start(two)
    await writeFile(
      path,
      JSON.stringify(documentWith({ ...leastIssuer, issuer: { url: 'http://a', audiences: ['x'] } })),
    )
    await file.check()
    await file.check()
    expect(issuers()).toEqual(urls)
    expect(metrics).toEqual([
      [reloads, { outcome: 'failure' }, 1],
      [refused, {}, 1],
    ])
    const problem = `authenticationConfig: ${path}: jwt[0].issuer.url: must begin with https://`
    expect(log.lines).toMatchObject([{ level: 'error', fields: { file: path, problem } }])
    expect(file.notes()[0]).toBe(
      `authentication configuration: refused, and the one before counts: ${problem}`,
    )
    await writeFile(path, two)
    await file.check()
    expect(metrics.slice(2)).toEqual([
      [reloads, { outcome: 'success' }, 1],
      [refused, {}, 0],
    ])
    expect(file.notes()).toHaveLength(2)
  })

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['is deleted', () => unlink(path), /cannot be read: ENOENT/],
    ['grows beyond a MiB', () => writeFile(path, `${two}${' '.repeat(1 << 20)}`), /more than 1048576 bytes/],
  ])('that %s leaves the one before in place', async (_what, change, problem) => {
    const { file, issuers, metrics } = await start(two)
    await change()
    await file.check()
    await file.check()
    expect(issuers()).toEqual(urls)
    expect(file.notes()[0]).toMatch(problem)
    expect(metrics.filter(([name]) => name === reloads)).toHaveLength(1)
  })

  it('may be a link that is swapped, as in a volume of a ConfigMap', async () => {
    const { file, issuers } = await start()
    await writeFile(join(folder, 'next'), two)
    await symlink(join(folder, 'next'), join(folder, 'link'))
    await rename(join(folder, 'link'), path)
    await file.check()
    expect(issuers()).toEqual(urls)
  })

  it('is followed no longer after it was closed, and has no issuers then', async () => {
    const { file, time, issuers } = await start()
    const checking = file.check()
    await writeFile(path, two)
    file.close()
    await checking
    await file.check()
    expect(issuers()).toEqual([])
    expect(time.timers).toEqual([])
  })

  it('that is wrong at the start is refused with its setting', async () => {
    await expect(start('jwt: 1')).rejects.toThrow(`authenticationConfig: ${path}: apiVersion: must be`)
    await unlink(path)
    await expect(
      AuthenticationFile.open({ file: path } as Parameters<typeof AuthenticationFile.open>[0]),
    ).rejects.toThrow(`authenticationConfig: ${path} cannot be read: ENOENT`)
  })

  it('tells /readyz of each issuer', async () => {
    const { file } = await start()
    expect(file.notes()).toEqual(['issuer https://issuer.example: its keys are being read'])
  })
})
