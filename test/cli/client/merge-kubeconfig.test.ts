import { lstatSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse } from 'yaml'
import { ownKubeconfig } from '../../../cli/client/kubeconfig-file.js'
import { mergeKubeconfig } from '../../../cli/client/merge-kubeconfig.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'merge-'))
})
afterEach(() => rm(folder, { recursive: true }))

const addition = (server: string) => `apiVersion: v1
kind: Config
current-context: eu
clusters: [{ name: eu, cluster: { server: ${server} } }]
users: [{ name: kairship, user: { token: secret } }]
contexts: [{ name: eu, context: { cluster: eu, user: kairship } }]
`
const read = async (path: string) => parse(await readFile(path, 'utf8'))

describe('a kubeconfig after a merge', () => {
  it('is created for its owner only when it is missing, with the instance as current context', async () => {
    const path = join(folder, 'new/config')
    expect(mergeKubeconfig(path, addition('https://1'), 'eu')).toEqual({
      context: 'kairship-eu',
      isCurrent: true,
    })
    expect(await read(path)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'kairship-eu', cluster: { server: 'https://1' } }],
      users: [{ name: 'kairship-eu', user: { token: 'secret' } }],
      contexts: [{ name: 'kairship-eu', context: { cluster: 'kairship-eu', user: 'kairship-eu' } }],
      'current-context': 'kairship-eu',
    })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'new'))).toEqual(['config'])
  })

  it('keeps other entries, comments and the current context', async () => {
    const path = join(folder, 'config')
    const mine =
      '# mine\napiVersion: v1\nclusters:\n  - name: home\n    cluster: {server: https://h}\ncurrent-context: home\nextensions: [x]\n'
    await writeFile(path, mine)
    expect(mergeKubeconfig(path, addition('https://1'), 'eu').isCurrent).toBe(false)
    expect(await read(path)).toMatchObject({
      clusters: [{ name: 'home', cluster: { server: 'https://h' } }, { name: 'kairship-eu' }],
      'current-context': 'home',
      extensions: ['x'],
    })
    expect(await readFile(path, 'utf8')).toContain('# mine')
  })

  it('has each instance once, with its last values', async () => {
    const path = join(folder, 'config')
    for (const server of ['https://1', 'https://2']) mergeKubeconfig(path, addition(server), 'eu')
    mergeKubeconfig(path, addition('https://3'), 'us')
    const { clusters, users } = await read(path)
    expect(clusters.map(({ cluster }: { cluster: { server: string } }) => cluster.server)).toEqual([
      'https://2',
      'https://3',
    ])
    expect(users).toHaveLength(2)
  })

  it('stays a symbolic link', async () => {
    await writeFile(join(folder, 'real'), '')
    await symlink(join(folder, 'real'), join(folder, 'config'))
    mergeKubeconfig(join(folder, 'config'), addition('https://1'), 'eu')
    expect(lstatSync(join(folder, 'config')).isSymbolicLink()).toBe(true)
    expect((await read(join(folder, 'real'))).clusters).toHaveLength(1)
  })

  it.each([['- a list'], ['clusters: text'], ['{'], ['{{']])(
    'is unchanged, without a warning of the parser, when it holds %s',
    async text => {
      const path = join(folder, 'config')
      await writeFile(path, text)
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
      onTestFinished(() => warn.mockRestore())
      expect(() => mergeKubeconfig(path, addition('https://1'), 'eu')).toThrow('is no kubeconfig')
      expect(warn).not.toHaveBeenCalled()
      expect(await readFile(path, 'utf8')).toBe(text)
      expect(await readdir(folder)).toEqual(['config'])
    },
  )

  it.each(['link', 'file'])('is not written to a %s at its temporary path', async kind => {
    const path = join(folder, 'config')
    const other = join(folder, 'other')
    await writeFile(other, 'of somebody else', { mode: 0o644 })
    if (kind === 'link') await symlink(other, `${path}.kairship`)
    else await writeFile(`${path}.kairship`, 'left behind', { mode: 0o644 })
    mergeKubeconfig(path, addition('https://1'), 'eu')
    expect(await readFile(other, 'utf8')).toBe('of somebody else')
    expect([lstatSync(path).isFile(), lstatSync(path).mode & 0o777]).toEqual([true, 0o600])
    expect((await readdir(folder)).sort()).toEqual(['config', 'other'])
  })

  it('is unchanged while kubectl holds its lock', async () => {
    const path = join(folder, 'config')
    await writeFile(`${path}.lock`, '')
    expect(() => mergeKubeconfig(path, addition('https://1'), 'eu')).toThrow(
      'is being written by another program',
    )
    expect(await readdir(folder)).toEqual(['config.lock'])
  })
})

it('the own kubeconfig is the first that KUBECONFIG names', () => {
  expect(ownKubeconfig({ KUBECONFIG: ':/a:/b' })).toBe('/a')
  expect(ownKubeconfig({})).toMatch(/\.kube\/config$/)
})
