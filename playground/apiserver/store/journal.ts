import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { JsonObject } from '../../apimachinery/json.js'
import { type JournalFiles, realFiles } from './journal-files.js'

/** One write: what an object became, or (without `object`) that it is gone. */
export interface JournalRecord {
  readonly collection: string
  readonly key: string
  readonly revision: number
  readonly object?: JsonObject
}

/** A write could not be made durable. Nothing of it is kept; the message says what the disk said. */
export class NotDurableError extends Error {
  override readonly name = 'NotDurableError'
}

/** The kept data is damaged in the middle, which no crash of ours can cause. Restore a copy or remove the folder. */
export class CorruptJournalError extends Error {
  override readonly name = 'CorruptJournalError'
}

/** After this many bytes the log is replaced by a snapshot. */
const SNAPSHOT_AFTER = 8_000_000
/** A first line that says which format follows. */
const HEADER = 'kairship-journal-1'

const encode = (value: unknown): Buffer => {
  const json = Buffer.from(JSON.stringify(value))
  const sum = crc32(json).toString(16).padStart(8, '0')
  return Buffer.concat([Buffer.from(`${sum} `), json, Buffer.from('\n')])
}

/**
 * One logical cluster's data on disk: a snapshot and the log of writes since, each line with its CRC-32. A crash can tear
 * only the last lines of the log, which no caller received an answer for; they are cut off when it is opened again.
 *
 * Files: `snapshot-<revision>` and `log-<revision>`, where the log continues the snapshot of the same revision.
 */
export class Journal {
  #size: number
  #snapshotAt = SNAPSHOT_AFTER
  #broken: NotDurableError | undefined

  private constructor(
    private readonly folder: string,
    private log: FileHandle,
    size: number,
    private readonly files: JournalFiles,
    private readonly onSnapshotFailed: (error: unknown) => void,
  ) {
    this.#size = size
  }

  /**
   * Opens the folder and replays what it holds.
   * @param restore called for every kept record, in the order of the writes
   * @param onSnapshotFailed told why a snapshot could not be written, or what it replaces not be removed; nothing is lost
   * @throws CorruptJournalError when something else than the tail of the log is damaged
   */
  static async open(
    folder: string,
    restore: (record: JournalRecord) => void,
    files: JournalFiles = realFiles,
    onSnapshotFailed: (error: unknown) => void = () => undefined,
  ): Promise<Journal> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const names = await readdir(folder)
    const revisions = names.flatMap(name => /^snapshot-(\d+)$/.exec(name)?.[1] ?? [])
    const base = revisions.map(Number).sort((a, b) => b - a)[0]
    // Removals are replayed too, so the latest state wins by key; only then is anything handed out.
    const latest = new Map<string, JournalRecord>()
    let newest = base ?? 0
    const take = (record: JournalRecord) => {
      latest.set(`${record.collection} ${record.key}`, record)
      newest = Math.max(newest, record.revision)
    }
    if (base !== undefined) {
      const path = join(folder, `snapshot-${base}`)
      const snapshot = parse(await readWhole(path))
      if (snapshot.damagedAt !== undefined) throw new CorruptJournalError(`${path} is damaged`)
      snapshot.records.forEach(take)
    }
    const path = join(folder, `log-${base ?? 0}`)
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const content = await handle.readFile()
    const kept = parse(content)
    if (kept.damagedAt !== undefined && kept.soundAfterDamage) {
      await handle.close()
      throw new CorruptJournalError(
        `${path} is damaged at byte ${kept.damagedAt}, with sound records after it: this is no torn tail of a crash`,
      )
    }
    let size = kept.length
    if (size < content.length) await handle.truncate(size)
    if (size === 0) {
      const header = encode(HEADER)
      await files.append(handle, header, 0)
      size = header.length
    }
    await files.sync(handle)
    await files.syncFolder(folder)
    kept.records.forEach(take)
    for (const record of latest.values()) restore(record)
    restore({ collection: '', key: '', revision: newest })
    for (const name of names) {
      const revision = /^(?:snapshot|log)-(\d+)$/.exec(name)?.[1]
      if (name.endsWith('.new') || (revision !== undefined && Number(revision) !== (base ?? 0))) {
        await files.remove(join(folder, name))
      }
    }
    return new Journal(folder, handle, size, files, onSnapshotFailed)
  }

  /** True when the log has grown so long that a snapshot should replace it. */
  get wantsSnapshot(): boolean {
    return this.#size > this.#snapshotAt && !this.#broken
  }

  /**
   * Makes records durable, all or none.
   * @throws NotDurableError with the disk's own words; the log is as it was before
   */
  async append(records: readonly JournalRecord[]): Promise<void> {
    if (this.#broken) throw this.#broken
    const data = Buffer.concat(records.map(encode))
    try {
      await this.files.append(this.log, data, this.#size)
      await this.files.sync(this.log)
      this.#size += data.length
    } catch (error) {
      await this.#rollBack(error)
      throw new NotDurableError(
        `the write could not be made durable and was refused, nothing was changed: ${messageOf(error)}`,
        { cause: error },
      )
    }
  }

  /** Replaces the log by a snapshot. Where that fails the old log simply goes on; it is tried again after as many bytes more. */
  async snapshot(revision: number, records: Iterable<JournalRecord>): Promise<void> {
    const [path, logPath] = [join(this.folder, `snapshot-${revision}`), join(this.folder, `log-${revision}`)]
    let log: FileHandle | undefined
    let named = false
    try {
      await this.#writeSnapshot(`${path}.new`, records)
      log = await open(logPath, 'w+', 0o600)
      await this.files.append(log, encode(HEADER), 0)
      await this.files.sync(log)
      named = true
      await this.files.rename(`${path}.new`, path)
      await this.files.syncFolder(this.folder)
    } catch (error) {
      this.onSnapshotFailed(error)
      this.#snapshotAt = this.#size + SNAPSHOT_AFTER
      if (named) await this.#withdraw(path, error)
      // As far as it goes: whatever is left of these is thrown away when the folder is opened.
      await Promise.allSettled([log?.close(), this.files.remove(`${path}.new`), this.files.remove(logPath)])
      return
    }
    const old = this.log
    this.log = log
    this.#size = encode(HEADER).length
    this.#snapshotAt = SNAPSHOT_AFTER
    try {
      await old.close()
      await this.#removeOlder(revision)
    } catch (error) {
      this.onSnapshotFailed(error)
    }
  }

  async close(): Promise<void> {
    await this.log.close()
  }

  async #rollBack(cause: unknown): Promise<void> {
    try {
      await this.log.truncate(this.#size)
    } catch (error) {
      this.#broken = new NotDurableError(
        `the log could not be repaired after a failed write (${messageOf(cause)}); writes are refused until a restart`,
        { cause: error },
      )
    }
  }

  async #writeSnapshot(path: string, records: Iterable<JournalRecord>): Promise<void> {
    const file = await open(path, 'w', 0o600)
    try {
      const chunks = [encode(HEADER)]
      for (const record of records) chunks.push(encode(record))
      await this.files.append(file, Buffer.concat(chunks), 0)
      await this.files.sync(file)
    } finally {
      await file.close()
    }
  }

  /**
   * Takes a snapshot's name away again. One that stayed would be opened instead of the log that goes on, and what that says from
   * now on would be lost: where a restart could find either state, nothing more is written.
   */
  async #withdraw(snapshot: string, cause: unknown): Promise<void> {
    try {
      await this.files.remove(snapshot)
      await this.files.syncFolder(this.folder)
    } catch (error) {
      this.#broken = new NotDurableError(
        `a snapshot that failed (${messageOf(cause)}) could not be withdrawn; writes are refused until a restart`,
        { cause: error },
      )
    }
  }

  async #removeOlder(revision: number): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const of = /^(?:snapshot|log)-(\d+)$/.exec(name)?.[1]
      if (of !== undefined && Number(of) !== revision) await this.files.remove(join(this.folder, name))
    }
  }
}

interface Parsed {
  readonly records: readonly JournalRecord[]
  /** Bytes that are sound. */
  readonly length: number
  readonly damagedAt?: number
  readonly soundAfterDamage: boolean
}

function parse(content: Buffer): Parsed {
  const records: JournalRecord[] = []
  let at = 0
  let damagedAt: number | undefined
  while (at < content.length) {
    const end = content.indexOf(10, at)
    const value = end === -1 ? undefined : decode(content.subarray(at, end))
    if (value === undefined) damagedAt ??= at
    else if (damagedAt !== undefined) return { records, length: damagedAt, damagedAt, soundAfterDamage: true }
    else if (value !== HEADER) records.push(value as JournalRecord)
    if (end === -1) break
    at = end + 1
  }
  return damagedAt === undefined
    ? { records, length: content.length, soundAfterDamage: false }
    : { records, length: damagedAt, damagedAt, soundAfterDamage: false }
}

/** The value of one line, or undefined when its checksum does not fit. */
function decode(line: Buffer): unknown {
  const json = line.subarray(9)
  const sum = line.subarray(0, 8).toString('latin1')
  if (line[8] !== 32 || crc32(json).toString(16).padStart(8, '0') !== sum) return undefined
  return JSON.parse(json.toString('utf8'))
}

async function readWhole(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
