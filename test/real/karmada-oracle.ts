import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { programPath } from './build.js'

/** Karmada's own functions behind a pipe (`karmada-oracle/`): a question a line, an answer a line. */
export class KarmadaOracle {
  readonly #process = spawn(programPath('karmada-oracle'), { stdio: ['pipe', 'pipe', 'inherit'] })
  readonly #waiting: ((line: string) => void)[] = []

  constructor() {
    createInterface({ input: this.#process.stdout }).on('line', line => this.#waiting.shift()?.(line))
  }

  /**
   * Answers come in the order of the questions.
   * @param op a decision of `karmada-oracle/main.go`
   */
  ask(op: string, question: object): Promise<unknown> {
    return new Promise(resolve => {
      this.#waiting.push(line => resolve(JSON.parse(line)))
      this.#process.stdin.write(`${JSON.stringify({ op, ...question })}\n`)
    })
  }

  close(): void {
    this.#process.stdin.end()
  }
}
