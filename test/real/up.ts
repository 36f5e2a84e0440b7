import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startStack, wholeStack } from './stack.js'

/**
 * `npm run real:up [-- --folder <path>] [--instances 1]`: leaves the real engines running for work by hand, prints where
 * they are as one line of JSON, and takes them down at Ctrl-C. With `KAIRSHIP_REAL_STACK` naming the file `suites` of that
 * line, `npm run test:real` uses this stack instead of bringing up its own.
 */
async function up(args: readonly string[]): Promise<void> {
  const value = (flag: string): string | undefined => {
    const at = args.indexOf(flag)
    return at < 0 ? undefined : args[at + 1]
  }
  const instances = Number(value('--instances') ?? 2)
  const karmadas = Object.fromEntries(Object.entries(wholeStack.karmadas).slice(0, instances))
  const stack = await startStack(
    { ...wholeStack, karmadas },
    line => console.error(line),
    newFolder(value('--folder')),
  )
  const { site } = stack
  const provided = stack.provided()
  // Holds keys, so it goes to a file of its own and not to the terminal.
  const suites = site.file('suites.json', JSON.stringify(provided))
  const where = {
    pid: process.pid,
    folder: site.folder,
    logs: join(site.folder, 'logs'),
    kubeconfigs: provided.kubeconfigs,
    processes: provided.processes,
    suites,
  }
  site.file('stack.json', `${JSON.stringify(where, null, 2)}\n`)
  console.log(JSON.stringify(where))
  console.error('Up. Ctrl-C takes everything down.')
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    // Keeps the event loop alive until a signal comes.
    const alive = setInterval(() => undefined, 60_000)
    process.once('beforeExit', () => clearInterval(alive))
  })
  console.error('Taking everything down …')
  await stack.close()
  process.exit(0)
}

/** A folder that is there already may belong to a stack that still runs: refused, never reused. */
function newFolder(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  if (existsSync(path))
    throw new Error(`${path} exists: a stack may still run there; end it or name another folder`)
  return path
}

await up(process.argv.slice(2)).catch((problem: unknown) => {
  console.error(problem instanceof Error ? problem.message : problem)
  process.exit(1)
})
