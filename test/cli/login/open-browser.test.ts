import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openBrowser, openerOf } from '../../../cli/login/open-browser.js'

it.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', {}, undefined],
] as const)('a browser on %s with %j is opened by %j', (platform, environment, opener) => {
  expect(openerOf({ platform, environment })).toEqual(opener)
})

it('the address is one argument, and nothing in it is run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const said = join(folder, 'said')
  writeFileSync(
    join(folder, 'xdg-open'),
    `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${said}.new'\nmv '${said}.new' '${said}'\n`,
    {
      mode: 0o755,
    },
  )
  const environment = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':0' }
  expect(await openBrowser(new URL('file:///etc/passwd'), { platform: 'linux', environment })).toBe(false)
  const url = new URL('https://issuer.test/auth?state=$(touch%20x)&nonce=`id`;|')
  expect(await openBrowser(url, { platform: 'linux', environment })).toBe(true)
  await expect.poll(() => readIfThere(said)).toBe(`1\n${url.href}\n`)
})

it('nothing but https:// is opened, and a program that is not there is no error', async () => {
  const environment = { PATH: '/nowhere', DISPLAY: ':0' }
  expect(await openBrowser(new URL('file:///etc/passwd'), { platform: 'linux', environment })).toBe(false)
  expect(await openBrowser(new URL('https://issuer.test'), { platform: 'linux', environment })).toBe(false)
})

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
