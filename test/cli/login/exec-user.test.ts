import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { execUser } from '../../../cli/login/exec-user.js'

let folder: string
let script: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exec-'))
  script = join(folder, 'kairship.js')
  writeFileSync(script, '')
  chmodSync(script, 0o755)
  mkdirSync(join(folder, 'bin'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const node = '/opt/node'
const made = (path: string) => execUser('1f', 'v1', { node, script, path })
const words = ['credential', '--login', '1f', '--exec-api-version', 'v1']

describe('the user of a kubeconfig whose credential is a login', () => {
  it('is asked of the plain name where the path leads to this program, so that an allow list can name it', () => {
    symlinkSync(script, join(folder, 'bin', 'kairship'))
    expect(made(join(folder, 'bin'))).toMatchObject({ exec: { command: 'kairship', args: words } })
  })

  it('is asked of Node.js and this script where the path leads nowhere, or to another program', () => {
    const own = { exec: { command: node, args: [script, ...words] } }
    expect(made(join(folder, 'bin'))).toMatchObject(own)
    writeFileSync(join(folder, 'bin', 'kairship'), '', { mode: 0o755 })
    expect(made(join(folder, 'bin'))).toMatchObject(own)
  })

  it('takes nothing from the standard input, which belongs to kubectl, and has the version that was asked for', () => {
    expect(execUser('1f', 'v1beta1', { node, script, path: '' })).toMatchObject({
      exec: { interactiveMode: 'Never', apiVersion: 'client.authentication.k8s.io/v1beta1' },
    })
  })
})
