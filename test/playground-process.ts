import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { repositoryFolder } from './real/repository.js'

/** A playground as `npm start` runs it, in a process and a folder of its own. */
export interface PlaygroundProcess {
  /** Its working directory: the paths of the report are relative to it. */
  readonly folder: string
  readonly report: z.infer<typeof reportSchema>
  /** Ends the process and removes the folder. */
  close(): Promise<void>
}

const reportSchema = z.object({
  allReady: z.literal(true),
  urls: z.object({ api: z.string() }),
  files: z.object({
    adminToken: z.string(),
    certificateAuthority: z.string(),
    instanceKubeconfigs: z.record(z.string(), z.string()),
  }),
})

/** Starts a playground of the built program and waits until its instances are ready. @throws Error when it ends before */
export async function startPlaygroundProcess(): Promise<PlaygroundProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-playground-'))
  const program = join(repositoryFolder, 'dist', 'kairship.js')
  const playground = spawn(process.execPath, [program, 'playground', '--json', '--files', 'files'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const close = async () => {
    await ended(playground)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { folder, report: reportSchema.parse(JSON.parse(await firstLine(playground))), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** The line that the playground prints when it is ready. */
function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!stdout) throw new Error('the playground has no standard output')
    const lines = createInterface({ input: stdout })
    lines.once('line', resolve)
    lines.once('close', () => reject(new Error('the playground ended before it was ready')))
  })
}
