import { type FileHandle, open, rename, rm } from 'node:fs/promises'

/** The file system as the journal uses it; tests put a failing one in its place. */
export interface JournalFiles {
  append(handle: FileHandle, data: Buffer, position: number): Promise<void>
  sync(handle: FileHandle): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>
  /** A file's name, or that it is gone, is durable only when its folder is. */
  syncFolder(folder: string): Promise<void>
}

export const realFiles: JournalFiles = {
  async append(handle, data, position) {
    let written = 0
    while (written < data.length) {
      const { bytesWritten } = await handle.write(data, written, data.length - written, position + written)
      written += bytesWritten
    }
  },
  sync: handle => handle.datasync(),
  rename,
  remove: path => rm(path, { force: true }),
  async syncFolder(folder) {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}
