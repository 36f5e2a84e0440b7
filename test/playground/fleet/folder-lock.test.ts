import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { startPlayground } from '../../../playground/fleet/fleet.js'
import { FolderInUseError, lockFolder } from '../../../playground/fleet/folder-lock.js'
import { waitFor } from '../../patience.js'
import { silent } from '../../silent.js'

let folder: string
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Another process that holds the folder until it is killed, or one whose child does. */
async function holder(by: 'parent' | 'child' = 'parent'): Promise<ChildProcess> {
  const program = new URL('../../../dist/playground/fleet/folder-lock.js', import.meta.url)
  const script = `
    const { lockFolder } = await import(${JSON.stringify(program.href)})
    lockFolder(${JSON.stringify(folder)})
    process.stdout.write('held')
    setInterval(() => undefined, 1000)
  `
  const args = ['--input-type=module', '-e', script]
  // A shell that becomes a program which never asks how its children have ended.
  const [command, given] =
    by === 'parent'
      ? [process.execPath, args]
      : ['sh', ['-c', '"$0" "$@" & exec sleep 600', process.execPath, ...args]]
  const child = spawn(command, given, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return child
}

describe('a data folder', () => {
  it('in use is refused to another process, with the owner’s process id', async () => {
    const { pid } = await holder()
    expect(() => lockFolder(folder)).toThrow(FolderInUseError)
    expect(() => lockFolder(folder)).toThrow(`${folder} is in use by process ${pid}`)
    expect(await readdir(folder)).toEqual(['lock'])
  })

  it.runIf(process.platform === 'linux')('is refused at once where files cannot be created', () => {
    expect(() => lockFolder('/proc/kairship')).toThrow(/ENOENT.*'\/proc\/kairship'/)
    expect(() => lockFolder('/proc/kairship/below')).toThrow(/ENOENT/)
  })

  it('is refused when it is a file, or below one', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(() => lockFolder(join(folder, 'file'))).toThrow('ENOTDIR')
    expect(() => lockFolder(join(folder, 'file/below'))).toThrow('ENOTDIR')
  })

  it.runIf(process.platform === 'linux')(
    'is taken over from a process that was killed and whose parent has not noticed',
    async () => {
      await holder('child')
      const { pid } = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))
      process.kill(pid, 'SIGKILL')
      await waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '))
      lockFolder(folder)()
    },
  )

  it('is taken over from a process that was killed', async () => {
    const child = await holder()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const unlock = lockFolder(folder)
    expect(JSON.parse(await readFile(join(folder, 'lock'), 'utf8')).pid).toBe(process.pid)
    unlock()
    expect(await readdir(folder)).toEqual([])
  })

  // Only Linux tells when a process started.
  it.runIf(process.platform === 'linux')(
    'is not taken from a live process by a reused process id or a truncated lock',
    async () => {
      for (const left of [
        { pid: process.ppid, started: '1' },
        { pid: process.pid, started: '1' },
        { pid: process.pid, started: '' },
        undefined,
      ]) {
        await writeFile(join(folder, 'lock'), left ? JSON.stringify(left) : '{"pi')
        lockFolder(folder)()
      }
      expect(await readdir(folder)).toEqual([])
    },
  )

  it('is used by one playground at a time, and by the next when that has closed', async () => {
    const start = () =>
      startPlayground({ instances: 0, dataDir: folder, connector: kubeConnector(), log: silent })
    const first = await start()
    await expect(start()).rejects.toThrow('already in use by this process')
    await first.close()
    await (await start()).close()
  })
})
