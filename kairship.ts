#!/usr/bin/env node
/** The command line. What it runs is composed in `commands.ts`, which is loaded only by the commands that run something. */
import { readFileSync } from 'node:fs'
import { clientActions } from './cli/client-actions.js'
import { interruption } from './cli/interruption.js'
import { type Action, run, type ServerActions, type Surroundings } from './cli/program.js'

const surroundings: Surroundings = {
  terminal: {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
  },
  interrupted: interruption(process),
}

const lazily =
  (command: keyof ServerActions): Action =>
  async config => {
    const { serverActions } = await import('./commands.js')
    return serverActions(surroundings)[command](config)
  }

process.exitCode = await run(
  process.argv.slice(2),
  {
    ...clientActions(surroundings),
    playground: lazily('playground'),
    serve: lazily('serve'),
    apiserver: lazily('apiserver'),
    'controller-manager': lazily('controller-manager'),
  },
  { environment: process.env, readFile: path => readFileSync(path, 'utf8') },
  surroundings.terminal,
)
