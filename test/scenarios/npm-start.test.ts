import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../patience.js'

it('npm start ends with all that it started when npm gets SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-npm-start-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('dist'), join(folder, 'dist'))
  // The built program is what is run here: prestart, which builds, is left out.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // These pipes are closed when the last process that inherited them has ended, not when npm has.
  const closed = once(npm, 'close')
  let said = ''
  for (const pipe of [npm.stdout, npm.stderr]) pipe.setEncoding('utf8').on('data', text => (said += text))
  await waitFor(() => {
    expect(npm.exitCode, said).toBeNull()
    expect(said).toContain('Ctrl-C stops everything')
  })
  npm.kill('SIGTERM')
  await closed
  expect(readdirSync(folder)).not.toContain('.kairship')
})
