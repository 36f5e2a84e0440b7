import { createInterface } from 'node:readline'
import { type CommandContext, SUCCESS } from './command.js'

const PROMPT = '$ '
const [INTERRUPT, END, BACKSPACE, DELETE] = ['\x03', '\x04', '\b', '\x7f']

/**
 * `sh` without a script: runs the commands that it is given, a line each, until `exit` or the end of its input. With a terminal it does what the
 * terminal's driver does besides: what is typed is shown, a character can be taken back, Ctrl-C drops a line and Ctrl-D ends.
 * @param run runs the commands of one line
 */
export function interactiveShell(
  context: CommandContext,
  run: (line: string) => Promise<number>,
): Promise<number> {
  return context.terminal ? typed(context, run) : piped(context, run)
}

const isExit = (line: string) => /^\s*exit\b/.test(line)

async function piped({ stdin }: CommandContext, run: (line: string) => Promise<number>): Promise<number> {
  let code = SUCCESS
  for await (const line of createInterface({ input: stdin })) {
    code = await run(line)
    if (isExit(line)) break
  }
  return code
}

async function typed(
  { stdin, stdout }: CommandContext,
  run: (line: string) => Promise<number>,
): Promise<number> {
  let line = ''
  let code = SUCCESS
  stdout.write(PROMPT)
  stdin.setEncoding('utf8')
  for await (const keys of stdin as AsyncIterable<string>)
    for (const key of keys) {
      if (key === '\r' || key === '\n') {
        stdout.write('\n')
        code = await run(line)
        if (isExit(line)) return code
        line = ''
        stdout.write(PROMPT)
      } else if (key === END && line === '') return code
      else if (key === INTERRUPT) {
        line = ''
        stdout.write(`^C\n${PROMPT}`)
      } else if (key === BACKSPACE || key === DELETE) {
        if (line === '') continue
        line = [...line].slice(0, -1).join('')
        stdout.write('\b \b')
      } else if (key >= ' ') {
        line += key
        stdout.write(key)
      }
    }
  return code
}
