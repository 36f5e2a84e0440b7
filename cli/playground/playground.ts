import { join, resolve } from 'node:path'
import type { Config } from '../../config.js'
import type { Fleet, InstanceView } from '../../ports/fleet.js'
import { ExitCode } from '../exit-code.js'
import { aborted } from '../program/interruption.js'
import type { Terminal } from '../program/program.js'
import { folderProblem } from '../settings/folder-problem.js'
import { awaitReady, type Readiness } from './await-ready.js'
import {
  type PlaygroundSecrets,
  removeEmptyFolder,
  removePlaygroundFiles,
  writePlaygroundFiles,
} from './playground-files.js'
import { jsonLine, notReady, type PlaygroundUrls, type Shown, summary, welcome } from './playground-report.js'

/** A playground with Kairship on top, as `commands.ts` starts it. */
export interface StartedPlayground {
  /** Names of the instances to wait for. */
  readonly instances: readonly string[]
  /** A member cluster of the first instance, to show how members are reached. */
  readonly member?: string
  readonly fleet: Fleet
  /** Waits until the users of `secrets` have their roles inside these instances. @returns whether they have them */
  readonly granted: (signal: AbortSignal) => Promise<boolean>
  /** A link that opens the console signed in, once; absent where it is left out. */
  readonly consoleLink?: () => Promise<string>
  readonly urls: PlaygroundUrls
  readonly secrets: PlaygroundSecrets
}

/** What the command needs besides its settings. */
export interface PlaygroundCommand {
  /** Starts everything and reports each part that is up. @param folder for files that the parts write themselves */
  readonly start: (progress: (text: string) => void, folder: string) => Promise<StartedPlayground>
  /** Takes a folder for this process alone. @returns gives it back @throws when another process has it, naming that */
  readonly lock: (folder: string) => () => void
  readonly terminal: Terminal
  readonly interrupted: AbortSignal
  /** Milliseconds since the process began. */
  readonly elapsedMs: () => number
  /** What a person types to run this program from the working folder. */
  readonly program: string
}

/** How long commands wait to be printed until their user may run them, milliseconds: a role takes effect within a second. */
const GRANT_PATIENCE_MS = 10_000

/** `kairship playground`: starts it, says how it went, and stays until interrupted (with `--once`: until all is ready). */
export async function playground(config: Config, command: PlaygroundCommand): Promise<ExitCode> {
  const { data } = config
  const folder = config.files ?? data ?? join('.', '.kairship')
  const setting = config.files === undefined && data !== undefined ? '--data' : '--files'
  let unlock = explained(setting, folder, () => command.lock(folder))
  // The fleet locks the folder of its data itself. That it can be had is known before the engines are loaded, which takes longer.
  if (data !== undefined && resolve(folder) === resolve(data)) {
    unlock()
    unlock = () => undefined
  }
  try {
    return await inFolder(folder, config, command)
  } catch (error) {
    const problem = data === undefined ? error : folderProblem('--data', data, error)
    throw folderProblem(setting, folder, problem)
  } finally {
    unlock()
    await removeEmptyFolder(folder)
  }
}

/** Does it, or throws an error that names the setting. */
function explained<T>(setting: string, folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw folderProblem(setting, folder, error)
  }
}

async function inFolder(folder: string, config: Config, command: PlaygroundCommand): Promise<ExitCode> {
  const { start, terminal, interrupted, elapsedMs, program } = command
  const progress = (text: string): void =>
    config.json ? undefined : terminal.err(`${(elapsedMs() / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
  const { instances, member, fleet, granted, consoleLink, urls, secrets } = await start(progress, folder)
  const files = await writePlaygroundFiles(folder, secrets)
  try {
    const deadline = config.once
      ? AbortSignal.any([interrupted, AbortSignal.timeout(config.readyTimeoutMs)])
      : interrupted
    const readiness = await awaitReady(fleet, instances, elapsedMs, deadline, readyProgress(progress))
    if (readiness.allReady && !config.once) {
      const patience = AbortSignal.any([interrupted, AbortSignal.timeout(GRANT_PATIENCE_MS)])
      if (!(await granted(patience)) && !interrupted.aborted)
        terminal.err(
          'Some roles inside the instances are not in effect yet: commands may be refused for a while.\n',
        )
    }
    const link = config.once || config.json ? undefined : await consoleLink?.()
    report(config, terminal, readiness, {
      urls,
      files,
      program,
      ...(member && { member }),
      ...(link && { console: link }),
      ...(secrets.issuer && { issuer: secrets.issuer }),
    })
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

function report(config: Config, { out, err }: Terminal, readiness: Readiness, shown: Shown): void {
  if (config.json) out(jsonLine(readiness, shown))
  else if (readiness.allReady) out(`\n${config.once ? summary(readiness) : welcome(readiness, shown)}`)
  if (!readiness.allReady) err(`not all instances became ready:\n${notReady(readiness)}\n`)
}

/** Reports every instance that became ready while there are few, and of every tenth part when there are many. */
function readyProgress(progress: (text: string) => void): (views: readonly InstanceView[]) => void {
  let reported = 0
  return views => {
    const ready = views.filter(({ state }) => state === 'ready').length
    const step = Math.ceil(views.length / 10)
    if (ready <= reported || (ready < views.length && ready - reported < step)) return
    reported = ready
    progress(`${ready} of ${views.length} instances ready`)
  }
}
