import { existsSync, readFileSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { type ProvidedStack, startStack, wholeStack } from './stack.js'

declare module 'vitest' {
  export interface ProvidedContext {
    stack: ProvidedStack
  }
}

/** Brings the real engines up once for all suites, or uses those that `npm run real:up` left running. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env.KAIRSHIP_REAL_STACK
  if (running !== undefined) {
    if (!existsSync(running)) throw new Error(`KAIRSHIP_REAL_STACK names ${running}, which is not there`)
    project.provide('stack', JSON.parse(readFileSync(running, 'utf8')) as ProvidedStack)
    return async () => undefined
  }
  const stack = await startStack(wholeStack, line => console.log(line))
  // Interrupted, vitest ends without teardown; the engines end with us then, and this leaves no files behind either.
  process.once('exit', () => stack.remove())
  project.provide('stack', stack.provided())
  return () => stack.close()
}
