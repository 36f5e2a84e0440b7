import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { repositoryFolder } from './repository.js'

/** The path of one of the programs that `.ci/services` brings. @throws Error when they cannot be had */
export function serviceProgram(name: 'prometheus' | 'promtool' | 'docker-registry'): string {
  const folder = execFileSync(join(repositoryFolder, '.ci/services'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return join(folder.trim(), name)
}
