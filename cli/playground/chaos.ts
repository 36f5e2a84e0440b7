import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../config.js'
import { chaosActions } from '../../ports/chaos.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import type { ProcessContext } from '../program/program.js'

/** The file in which a running playground says where its chaos is controlled. */
export const CHAOS_FILE = 'chaos.json'

/** How long a playground may take to answer, milliseconds. */
const PATIENCE_MS = 30_000

const control = z.strictObject({ url: z.url(), token: z.string().min(1) })
const state = z.object({ name: z.string(), faults: z.array(z.string()) })
const listed = z.object({ members: z.array(state) })
const refused = z.object({ message: z.string() })

/** `kairship playground chaos <action> [member]`: makes a member of a running playground fail, or heals it. */
export async function chaos(
  { files }: Pick<Config, 'files'>,
  { terminal: { out }, interrupted }: ProcessContext,
  action: string,
  member: string | undefined,
): Promise<ExitCode> {
  const call = await controlOf(files ?? '.kairship', interrupted)
  if (action === 'list') {
    if (member !== undefined) throw new CommandError('list takes no member', ExitCode.usage)
    const { members } = listed.parse(await call('GET', 'members'))
    const rows = members.map(({ name, faults }) => [name, shown(faults)])
    out(columns(['MEMBER', 'CHAOS'], rows).text)
    return ExitCode.ok
  }
  if (!(chaosActions as readonly string[]).includes(action))
    throw new CommandError(
      `chaos knows no ${action}: it is one of ${[...chaosActions, 'list'].join(', ')}`,
      ExitCode.usage,
    )
  if (member === undefined)
    throw new CommandError(`name the member to ${action}; "chaos list" shows which there are`, ExitCode.usage)
  const path = `members/${encodeURIComponent(member)}/${action}`
  const { name, faults } = state.parse(await call('POST', path))
  out(`${name}: ${shown(faults)}\n`)
  return ExitCode.ok
}

const shown = (faults: readonly string[]): string => faults.join(', ') || 'healthy'

type Call = (method: 'GET' | 'POST', path: string) => Promise<unknown>

async function controlOf(folder: string, interrupted: AbortSignal): Promise<Call> {
  const { url, token } = await readControl(join(folder, CHAOS_FILE), folder)
  return async (method, path) => {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(PATIENCE_MS)])
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/${path}`, { method, headers, signal }).catch(cause => {
      throw new CommandError(
        `the playground of ${folder} does not answer; it may have been killed: start it again`,
        ExitCode.failed,
        { cause },
      )
    })
    const body: unknown = await response.json()
    if (response.ok) return body
    const { message } = refused.parse(body)
    throw new CommandError(message, response.status === 404 ? ExitCode.notFound : ExitCode.failed)
  }
}

async function readControl(path: string, folder: string): Promise<z.output<typeof control>> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code !== 'ENOENT') throw new CommandError(`${path}: ${error.message}`, ExitCode.failed)
    throw new CommandError(
      `no playground runs in ${folder}: start one with "kairship playground", or name its folder with --files (with --data DIR that is DIR)`,
      ExitCode.usage,
    )
  })
  try {
    return control.parse(JSON.parse(text))
  } catch (cause) {
    throw new CommandError(`${path} was not written by a playground: start it again`, ExitCode.failed, {
      cause,
    })
  }
}
