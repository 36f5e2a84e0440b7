import { join } from 'node:path'
import type { Config } from '../config.js'
import type { Fleet, InstanceView } from '../ports/fleet.js'
import { awaitReady, type Readiness } from './await-ready.js'
import { ExitCode } from './exit-code.js'
import { aborted } from './interruption.js'
import {
  type PlaygroundFiles,
  type PlaygroundSecrets,
  removePlaygroundFiles,
  writePlaygroundFiles,
} from './playground-files.js'
import { jsonLine, notReady, type PlaygroundUrls, welcome } from './playground-report.js'
import type { Terminal } from './program.js'

/** A playground with Kairship on top, as `commands.ts` starts it. */
export interface StartedPlayground {
  /** Names of the instances that were asked for. */
  readonly instances: readonly string[]
  readonly fleet: Fleet
  readonly urls: PlaygroundUrls
  readonly secrets: PlaygroundSecrets
}

/** What the command needs besides its settings. */
export interface PlaygroundCommand {
  /** Starts everything; tells a waiting person what is up. */
  readonly start: (progress: (text: string) => void) => Promise<StartedPlayground>
  readonly terminal: Terminal
  readonly interrupted: AbortSignal
  /** Milliseconds since the process began. */
  readonly elapsedMs: () => number
}

/** `kairship playground`: starts it, says how it went, and stays until interrupted (with `--once`: until all is ready). */
export async function playground(config: Config, command: PlaygroundCommand): Promise<ExitCode> {
  const { start, terminal, interrupted, elapsedMs } = command
  const progress = (text: string): void =>
    config.json ? undefined : terminal.err(`${(elapsedMs() / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
  const { instances, fleet, urls, secrets } = await start(progress)
  const files = await writePlaygroundFiles(config.files ?? config.data ?? join('.', '.kairship'), secrets)
  try {
    const deadline = config.once
      ? AbortSignal.any([interrupted, AbortSignal.timeout(config.readyTimeoutMs)])
      : interrupted
    const readiness = await awaitReady(fleet, instances, elapsedMs, deadline, readyProgress(progress))
    report(config, terminal, readiness, urls, files)
    if (!config.once) {
      await aborted(interrupted)
      return ExitCode.ok
    }
    if (readiness.allReady) return ExitCode.ok
    return interrupted.aborted ? ExitCode.failed : ExitCode.timedOut
  } finally {
    await removePlaygroundFiles(files)
  }
}

function report(
  config: Config,
  { out, err }: Terminal,
  readiness: Readiness,
  urls: PlaygroundUrls,
  files: PlaygroundFiles,
): void {
  if (config.json) out(jsonLine(readiness, urls, files))
  else if (readiness.allReady) out(`\n${welcome(readiness, urls, files)}`)
  if (!readiness.allReady) err(`not all instances became ready:\n${notReady(readiness)}\n`)
}

/** Tells of every instance that became ready while there are few, and of every tenth part when there are many. */
function readyProgress(progress: (text: string) => void): (views: readonly InstanceView[]) => void {
  let told = 0
  return views => {
    const ready = views.filter(({ state }) => state === 'ready').length
    const step = Math.ceil(views.length / 10)
    if (ready <= told || (ready < views.length && ready - told < step)) return
    told = ready
    progress(`${ready} of ${views.length} instances ready`)
  }
}
