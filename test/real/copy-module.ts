import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Copies a module out of Go's module cache, which is read-only, into a folder that can be written to; replaces what is there. */
export function copyModule(published: string, target: string): void {
  rmSync(target, { recursive: true, force: true })
  cpSync(published, target, { recursive: true })
  makeWritable(target)
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makeWritable(path)
    else chmodSync(path, 0o644)
  }
}
