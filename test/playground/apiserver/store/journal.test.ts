import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  CorruptJournalError,
  Journal,
  type JournalRecord,
  NotDurableError,
} from '../../../../playground/apiserver/store/journal.js'
import { type JournalFiles, realFiles } from '../../../../playground/apiserver/store/journal-files.js'
import { Store } from '../../../../playground/apiserver/store/store.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
})
afterEach(() => rm(folder, { recursive: true }))

const record = (revision: number, key: string, value?: string): JournalRecord => ({
  collection: 'configmaps',
  key,
  revision,
  ...(value === undefined ? {} : { object: { metadata: { name: key }, value } }),
})

/** Opens the folder and tells what it holds. */
async function reopen(
  files?: JournalFiles,
): Promise<{ journal: Journal; held: Record<string, unknown>; revision: number }> {
  const held: Record<string, unknown> = {}
  let revision = 0
  const journal = await Journal.open(
    folder,
    one => {
      revision = Math.max(revision, one.revision)
      if (one.object) held[one.key] = one.object.value
    },
    files,
  )
  return { journal, held, revision }
}

async function heldNow() {
  const { journal, held, revision } = await reopen()
  await journal.close()
  return { held, revision }
}

const logFile = async () =>
  join(folder, (await readdir(folder)).find(name => name.startsWith('log-')) as string)

describe('the journal', () => {
  it('has the last state of every object, and the newest revision even when that was a deletion', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'a', '1'), record(3, 'b', '1')])
    await journal.append([record(4, 'a', '2'), record(5, 'b')])
    await journal.close()
    expect(await heldNow()).toEqual({ held: { a: '2' }, revision: 5 })
  })

  it('truncates a last record that a crash cut at any byte', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'kept', '1')])
    await journal.close()
    const sound = (await readFile(await logFile())).length
    const again = await reopen()
    await again.journal.append([record(3, 'torn', 'x'.repeat(50))])
    await again.journal.close()
    const whole = await readFile(await logFile())
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: sound, max: whole.length - 1 }), async length => {
        await writeFile(await logFile(), whole)
        await truncate(await logFile(), length)
        expect(await heldNow()).toEqual({ held: { kept: '1' }, revision: 2 })
      }),
      { numRuns: 30 },
    )
  })

  it('continues after a truncated tail with intact records', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'a', '1')])
    await journal.close()
    await appendFile(await logFile(), 'deadbeef {"collection":"configmaps","key":"half')
    const again = await reopen()
    await again.journal.append([record(3, 'b', '1')])
    await again.journal.close()
    expect((await heldNow()).held).toEqual({ a: '1', b: '1' })
  })

  it('refuses to start with damage in the middle, which no crash causes', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'a', '1')])
    await journal.append([record(3, 'b', '1')])
    await journal.close()
    const content = await readFile(await logFile())
    content[30] = (content[30] as number) ^ 1
    await writeFile(await logFile(), content)
    await expect(reopen()).rejects.toThrow(CorruptJournalError)
  })

  it('has nothing of a failed write, and the next write succeeds', async () => {
    let full = false
    const files: JournalFiles = {
      ...realFiles,
      async append(handle, data, position) {
        if (!full) return realFiles.append(handle, data, position)
        await realFiles.append(handle, data.subarray(0, 20), position)
        throw new Error('ENOSPC: no space left on device')
      },
    }
    const { journal } = await reopen(files)
    await journal.append([record(2, 'a', '1')])
    full = true
    await expect(journal.append([record(3, 'lost', '1')])).rejects.toThrow(
      new NotDurableError(
        'the write could not be made durable and was refused, nothing was changed: ENOSPC: no space left on device',
      ),
    )
    full = false
    await journal.append([record(3, 'b', '1')])
    await journal.close()
    expect((await heldNow()).held).toEqual({ a: '1', b: '1' })
  })

  it('refuses a write whose fsync failed', async () => {
    let failing = false
    const files: JournalFiles = {
      ...realFiles,
      sync: handle => (failing ? Promise.reject(new Error('EIO')) : realFiles.sync(handle)),
    }
    const { journal } = await reopen(files)
    failing = true
    await expect(journal.append([record(2, 'a', '1')])).rejects.toThrow('EIO')
    await journal.close()
    expect((await heldNow()).held).toEqual({})
  })

  it('is replaced by a snapshot, and later writes continue it', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'a', '1'), record(3, 'gone', '1'), record(4, 'gone')])
    await journal.snapshot(4, [record(2, 'a', '1')])
    await journal.append([record(5, 'b', '1')])
    await journal.close()
    expect((await readdir(folder)).sort()).toEqual(['log-4', 'snapshot-4'])
    expect(await heldNow()).toEqual({ held: { a: '1', b: '1' }, revision: 5 })
  })

  it('continues after a failed snapshot, which is reported', async () => {
    let full = false
    const files: JournalFiles = {
      ...realFiles,
      append: (handle, data, position) =>
        full && position === 0
          ? Promise.reject(new Error('no space left'))
          : realFiles.append(handle, data, position),
    }
    const failures: unknown[] = []
    const journal = await Journal.open(
      folder,
      () => undefined,
      files,
      error => failures.push(error),
    )
    await journal.append([record(2, 'a', '1')])
    full = true
    await journal.snapshot(2, [record(2, 'a', '1')])
    expect(failures.map(String)).toEqual(['Error: no space left'])
    await journal.append([record(3, 'b', '2')])
    await journal.close()
    expect(await heldNow()).toEqual({ held: { a: '1', b: '2' }, revision: 3 })
  })

  it('is still valid after a crash within a snapshot', async () => {
    const { journal } = await reopen()
    await journal.append([record(2, 'a', '1')])
    await journal.close()
    await writeFile(join(folder, 'snapshot-2.new'), 'half of it')
    await writeFile(join(folder, 'log-2'), '')
    expect((await heldNow()).held).toEqual({ a: '1' })
    expect(await readdir(folder)).toEqual(['log-0'])
  })
})

describe('a durable store', () => {
  const object = (name: string, value = '') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    value,
  })

  it('shows a write to no client before it is on disk', async () => {
    let release: () => void = () => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let opened = false
    const store = new Store(Date.now)
    await store.keepIn(folder, {
      ...realFiles,
      sync: async handle => {
        if (opened) await held
        await realFiles.sync(handle)
      },
    })
    opened = true
    const maps = store.collection('configmaps')
    const seen: string[] = []
    maps.watch(event => seen.push(event.current.name))
    const write = store.write(maps, 'a', () => ({ put: object('a') }))
    expect([maps.get('a'), seen]).toEqual([undefined, []])
    release()
    await write
    expect([maps.get('a')?.name, seen]).toEqual(['a', ['a']])
    await store.close()
  })

  it('refuses nothing for a write that no client can read yet', async () => {
    const store = new Store(Date.now)
    await store.keepIn(folder)
    const maps = store.collection('configmaps')
    const create = () =>
      store.write(maps, 'a', current => {
        if (current) throw new Error('already there')
        return { put: object('a') }
      })
    const first = create()
    const readable = await create().catch(() => maps.get('a')?.name)
    expect(readable).toBe('a')
    await first
    await store.close()
  })

  it('refuses with the word of the disk what another write would have made impossible', async () => {
    let isFull = false
    const store = new Store(Date.now)
    await store.keepIn(folder, {
      ...realFiles,
      sync: async handle => {
        if (isFull) throw new Error('ENOSPC')
        await realFiles.sync(handle)
      },
    })
    const maps = store.collection('configmaps')
    isFull = true
    const create = () =>
      store.write(maps, 'a', current => {
        if (current) throw new Error('already there')
        return { put: object('a') }
      })
    const results = await Promise.allSettled([create(), create()])
    expect(results.map(one => one.status === 'rejected' && one.reason)).toEqual([
      expect.any(NotDurableError),
      expect.any(NotDurableError),
    ])
    expect(maps.get('a')).toBeUndefined()
    isFull = false
    await store.close()
  })

  it('shows every write of a batch to the later ones', async () => {
    const store = new Store(Date.now)
    await store.keepIn(folder)
    const maps = store.collection('configmaps')
    const add = () =>
      store.write(maps, 'count', current => ({
        put: object('count', `${String(current?.object.value ?? '')}x`),
      }))
    await Promise.all(Array.from({ length: 20 }, add))
    expect(maps.get('count')?.object.value).toBe('x'.repeat(20))
    await store.close()
  })

  it('shows the deletions of a batch to the later ones', async () => {
    const store = new Store(Date.now)
    await store.keepIn(folder)
    const maps = store.collection('configmaps')
    await store.write(maps, 'a', () => ({ put: object('a') }))
    const removal = store.write(maps, 'a', current => current && { remove: current.object })
    const creation = store.write(maps, 'a', current => {
      if (current) throw new Error('already there')
      return { put: object('a', 'new') }
    })
    await Promise.all([removal, creation])
    expect(maps.get('a')?.object.value).toBe('new')
    await store.close()
  })

  it('refuses in its own words what readers see the reason for, whatever becomes of the rest of its batch', async () => {
    let isFull = false
    const store = new Store(Date.now)
    await store.keepIn(folder, {
      ...realFiles,
      sync: handle => (isFull ? Promise.reject(new Error('ENOSPC')) : realFiles.sync(handle)),
    })
    const maps = store.collection('configmaps')
    await store.write(maps, 'a', () => ({ put: object('a') }))
    isFull = true
    const other = store.write(maps, 'b', () => ({ put: object('b') }))
    const refused = store.write(maps, 'a', () => {
      throw new Error('already there')
    })
    const [unkept, told] = await Promise.allSettled([other, refused])
    expect(unkept).toMatchObject({ reason: expect.any(NotDurableError) })
    expect(told).toMatchObject({ reason: new Error('already there') })
    isFull = false
    await store.close()
  })

  it('has the same objects with the same versions after a restart, and no history', async () => {
    const store = new Store(Date.now)
    await store.keepIn(folder)
    const maps = store.collection('configmaps')
    await store.write(maps, 'a', () => ({ put: object('a') }))
    await store.write(maps, 'b', () => ({ put: object('b') }))
    await store.write(maps, 'b', current => current && { remove: current.object })
    await store.close()
    const again = new Store(Date.now)
    await again.keepIn(folder)
    expect(again.revision).toBe(store.revision)
    expect(again.collection('configmaps').get('a')?.revision).toBe(maps.get('a')?.revision)
    expect(again.collection('configmaps').since(1)).toBeUndefined()
    await again.close()
  })
})
