import { type ChildProcess, spawn } from 'node:child_process'
import { waitFor } from '../../patience.js'
import type { RunOptions } from './kubectl.js'

/** A kubectl that goes on until it is ended: `logs -f`, `get --watch`, `port-forward`, an open `exec`. */
export class RunningKubectl {
  readonly #child: ChildProcess
  stdout = ''
  stderr = ''
  /** Its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>

  constructor(kubectl: string, words: readonly string[], { kubeconfig, home, env = {} }: RunOptions) {
    this.#child = spawn(kubectl, [...words], {
      env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig, ...env },
      stdio: 'pipe',
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.#child.stdin?.on('error', () => undefined) // it may have ended
    this.ended = new Promise(resolve => this.#child.once('close', resolve))
  }

  /** Waits until it has printed this, and returns what matched. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return waitFor(() => {
      const match = pattern.exec(this.stdout)
      if (match) return match
      throw new Error(`it did not say ${pattern}; it said: ${this.stdout}${this.stderr}`)
    })
  }

  write(text: string): void {
    this.#child.stdin?.write(text)
  }

  end(): void {
    this.#child.stdin?.end()
  }

  /** Ends it as Ctrl-C does, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#child.kill('SIGINT')
    await this.ended
  }
}
