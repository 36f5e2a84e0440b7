import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removePlaygroundFiles, writePlaygroundFiles } from '../../../cli/playground/playground-files.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const secretsOf = (whose: string) => ({
  server: 'https://127.0.0.1:1',
  certificateAuthority: `authority of ${whose}`,
  adminToken: `admin of ${whose}`,
  viewerToken: `viewer of ${whose}`,
  chaos: { url: 'http://127.0.0.1:1', token: `chaos of ${whose}` },
  hostKubeconfig: `host of ${whose}`,
  instanceKubeconfigs: { 'eu-west': `eu-west of ${whose}` },
  memberKubeconfigs: { 'eu-west-a': `eu-west-a of ${whose}` },
})

describe('the files of a playground', () => {
  it('are removed when it stops', async () => {
    const below = join(folder, 'a')
    await removePlaygroundFiles(await writePlaygroundFiles(below, secretsOf('one')))
    expect(await readdir(folder)).toEqual([])
  })

  it('stay when a newer playground has replaced them', async () => {
    const first = await writePlaygroundFiles(folder, secretsOf('one'))
    const second = await writePlaygroundFiles(folder, secretsOf('two'))
    await removePlaygroundFiles(first)
    expect(await readFile(join(folder, 'admin.token'), 'utf8')).toBe('admin of two')
    expect(await readFile(join(folder, 'instances', 'eu-west.kubeconfig'), 'utf8')).toBe('eu-west of two')
    expect(await readFile(join(folder, 'members', 'eu-west-a.kubeconfig'), 'utf8')).toBe('eu-west-a of two')
    await removePlaygroundFiles(second)
    await expect(readdir(folder)).rejects.toThrow('ENOENT')
  })

  it('are for their owner alone, also where an earlier file was not', async () => {
    const below = join(folder, 'a')
    await mkdir(join(below, 'instances'), { recursive: true, mode: 0o700 })
    await writeFile(join(below, 'instances', 'eu-west.kubeconfig'), '', { mode: 0o644 })
    await writePlaygroundFiles(below, secretsOf('one'))
    const modes = (await readdir(below, { recursive: true, withFileTypes: true })).map(async entry => {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600])
    })
    expect(await Promise.all(modes)).toHaveLength(10)
  })

  it('are all removed when one of them cannot be written', async () => {
    await mkdir(join(folder, 'host.kubeconfig'))
    await expect(writePlaygroundFiles(folder, secretsOf('one'))).rejects.toThrow('host.kubeconfig')
    expect(await readdir(folder)).toEqual(['host.kubeconfig'])
  })
})
