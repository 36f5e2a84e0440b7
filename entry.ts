#!/usr/bin/env node
/** The command line. What it runs is composed in `commands.ts`, which is loaded only by the commands that run something. */
import { readFileSync } from 'node:fs'
import { clientActions } from './cli/client-actions.js'
import { printingTo } from './cli/print/printable.js'
import { CLOSED_OUTPUT, interruption, onClosedOutput } from './cli/program/interruption.js'
import { type Action, type ProcessContext, run, type ServerActions } from './cli/program/program.js'

const closedOutput = new AbortController()
onClosedOutput([process.stdout, process.stderr], () => {
  // Also when the command is over already. The exit code is that of any program whose reader has gone.
  process.exitCode = CLOSED_OUTPUT
  closedOutput.abort()
})

const dependencies: ProcessContext = {
  terminal: printingTo(process),
  interrupted: AbortSignal.any([interruption(process), closedOutput.signal]),
}

const lazily =
  (command: keyof ServerActions): Action =>
  async config => {
    const { serverActions } = await import('./commands.js')
    return serverActions(dependencies)[command](config)
  }

const exitCode = await run(
  process.argv.slice(2),
  {
    ...clientActions(dependencies),
    playground: lazily('playground'),
    serve: lazily('serve'),
    apiserver: lazily('apiserver'),
    'controller-manager': lazily('controller-manager'),
  },
  { environment: process.env, readFile: path => readFileSync(path, 'utf8') },
  dependencies.terminal,
)
process.exitCode = closedOutput.signal.aborted ? CLOSED_OUTPUT : exitCode
