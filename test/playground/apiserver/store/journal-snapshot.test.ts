import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  Journal,
  type JournalRecord,
  NotDurableError,
} from '../../../../playground/apiserver/store/journal.js'
import { type JournalFiles, realFiles } from '../../../../playground/apiserver/store/journal-files.js'

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'journal-'))
})
afterEach(() => rm(base, { recursive: true }))

const record = (revision: number, key: string): JournalRecord => ({
  collection: 'configmaps',
  key,
  revision,
  object: { metadata: { name: key } },
})
const [a, b, c] = [record(2, 'a'), record(3, 'b'), record(4, 'c')]

/** The real file system; `moment` comes before, within and after everything that is done to it, and what it throws fails that. */
function filesWith(moment: () => Promise<void>): JournalFiles {
  const around = async (work: () => Promise<void>) => {
    await moment()
    await work()
    await moment()
  }
  return {
    append: (handle, data, position) =>
      around(async () => {
        await realFiles.append(handle, data.subarray(0, data.length >> 1), position)
        await moment()
        await realFiles.append(handle, data, position)
      }),
    sync: handle => around(() => realFiles.sync(handle)),
    rename: (from, to) => around(() => realFiles.rename(from, to)),
    remove: path => around(() => realFiles.remove(path)),
    syncFolder: folder => around(() => realFiles.syncFolder(folder)),
  }
}

/** What a process finds that starts on the folder, whatever the one before it still has open. */
async function heldIn(folder: string): Promise<string[]> {
  const held: string[] = []
  const journal = await Journal.open(folder, ({ key, object }) => object && held.push(key))
  await journal.close()
  return held.sort()
}

describe('a snapshot', () => {
  it('that is interrupted by a kill at any point loses nothing', async () => {
    const [folder, kept] = [join(base, 'run'), [] as string[]]
    let killing = false
    const moment = async () => {
      if (!killing) return
      const copy = join(base, `killed-${kept.length}`)
      await cp(folder, copy, { recursive: true })
      kept.push(copy)
    }
    const journal = await Journal.open(folder, () => undefined, filesWith(moment))
    await journal.append([a, b])
    killing = true
    await journal.snapshot(3, [a, b])
    killing = false
    await journal.close()
    expect(kept.length).toBeGreaterThan(10)
    for (const copy of kept) {
      const again = await Journal.open(copy, () => undefined)
      await again.append([c])
      await again.close()
      expect(await heldIn(copy)).toEqual(['a', 'b', 'c'])
      expect(await readdir(copy)).toHaveLength((await readdir(copy)).includes('snapshot-3') ? 2 : 1)
    }
  })

  it.each([
    ['once', 1],
    ['twice', 2],
    ['until it is over', Number.POSITIVE_INFINITY],
  ])('with a disk failure at any point, %s, loses no write before or after it', async (_, times) => {
    let failed = 0
    for (let first = 0; first === 0 || failed > 0; first++) {
      let moments = Number.NEGATIVE_INFINITY
      failed = 0
      const moment = async () => {
        if (moments++ < first || failed >= times) return
        failed++
        throw new Error('EIO: i/o error')
      }
      const folder = join(base, `run-${first}`)
      const journal = await Journal.open(folder, () => undefined, filesWith(moment))
      await journal.append([a])
      moments = 0
      await journal.snapshot(2, [a])
      moments = Number.NEGATIVE_INFINITY
      const written = await journal.append([b]).then(
        () => true,
        error => {
          expect(error).toBeInstanceOf(NotDurableError)
          return false
        },
      )
      if (times === 1) expect(written).toBe(true)
      expect([first, await heldIn(folder)]).toEqual([first, written ? ['a', 'b'] : ['a']])
      await journal.close()
      expect(first).toBeLessThan(100)
    }
  })

  it('whose rename may not survive a power failure is followed by no write to the old log', async () => {
    let failing = false
    const syncFolder: JournalFiles['syncFolder'] = folder =>
      failing ? Promise.reject(new Error('EIO: i/o error')) : realFiles.syncFolder(folder)
    const failures: unknown[] = []
    const journal = await Journal.open(
      base,
      () => undefined,
      { ...realFiles, syncFolder },
      error => failures.push(error),
    )
    await journal.append([a])
    failing = true
    await journal.snapshot(2, [a])
    failing = false
    await expect(journal.append([b])).rejects.toThrow('writes are refused until a restart')
    await journal.close()
    expect(failures.map(String)).toEqual(['Error: EIO: i/o error'])
    expect(await heldIn(base)).toEqual(['a'])
  })

  it('that fails leaves no file', async () => {
    let full = false
    let syncs = 0
    // The first is of the snapshot, the second of the log that would continue it.
    const files: JournalFiles = {
      ...realFiles,
      sync: handle => (full && syncs++ > 0 ? Promise.reject(new Error('ENOSPC')) : realFiles.sync(handle)),
    }
    const journal = await Journal.open(base, () => undefined, files)
    await journal.append([a])
    full = true
    await journal.snapshot(2, [a])
    await journal.close()
    expect([syncs, await readdir(base)]).toEqual([2, ['log-0']])
  })
})
