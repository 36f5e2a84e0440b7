import { execFile } from 'node:child_process'
import { programPath } from './build.js'

/** Runs one of the programs that were built to its end. */
export function runProgram(
  name: string,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise(resolve => {
    execFile(programPath(name), [...args], { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    )
  })
}
