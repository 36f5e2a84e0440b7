import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Family, families, type Program } from './programs.js'
import { sourceFolder } from './repository.js'

/**
 * Builds the real engines into a cache folder, once per content of `go.mod` and `go.sum`. A program that is there already
 * is not built again; `KAIRSHIP_REAL_BIN` names a folder whose programs are used as they are.
 */

/** Where the binary of a program is, or will be. */
export function programPath(name: string): string {
  const given = process.env.KAIRSHIP_REAL_BIN
  if (given !== undefined && existsSync(join(given, name))) return join(given, name)
  const family = families.find(family => family.programs.some(program => program.name === name))
  if (family === undefined) throw new Error(`no program is called ${name}`)
  return join(cacheFolder(family), 'bin', name)
}

/** The folder of one module in Go's module cache, for the manifests that a program ships. */
export function moduleFolder(family: string, module: string): string {
  const listed = go(['mod', 'download', '-json', module], join(sourceFolder, family))
  const { Dir, Error: problem } = JSON.parse(listed) as { Dir?: string; Error?: string }
  if (Dir === undefined) throw new Error(`${module} cannot be downloaded: ${problem ?? 'no folder named'}`)
  return Dir
}

/**
 * Builds what is missing.
 * @param everything also what only work by hand needs
 * @throws Error when Go is missing or a program does not compile
 */
export async function build(report: (line: string) => void, everything = false): Promise<void> {
  // Also where all binaries are there: CRDs and other manifests are read from Go's module cache.
  requireGo()
  const missing = families.flatMap(family =>
    family.programs
      .filter(({ name, byHand = false }) => (everything || !byHand) && !existsSync(programPath(name)))
      .map(program => ({ family, program })),
  )
  if (missing.length === 0) return
  report(`${missing.length} programs to build; on two cores expect about a minute each, once`)
  for (const [done, { family, program }] of missing.entries()) {
    const started = Date.now()
    report(`[${done + 1}/${missing.length}] ${program.name} …`)
    await buildProgram(family, program)
    report(
      `[${done + 1}/${missing.length}] ${program.name} built in ${Math.round((Date.now() - started) / 1000)} s`,
    )
  }
}

/**
 * Builds one program, if it is missing.
 * @throws Error when Go is missing or the program does not compile
 */
export async function buildNamed(name: string, report: (line: string) => void): Promise<void> {
  if (existsSync(programPath(name))) return
  requireGo()
  report(`building ${name} …`)
  for (const family of families)
    for (const program of family.programs) if (program.name === name) await buildProgram(family, program)
}

function cacheFolder(family: Family): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const hash = createHash('sha256')
  for (const file of pinningFiles(family)) hash.update(readFileSync(join(sourceFolder, family.folder, file)))
  if (family.edited?.edits) hash.update(JSON.stringify(family.edited.edits))
  return join(cache, 'kairship', 'real', `${family.folder}-${hash.digest('hex').slice(0, 16)}`)
}

/** What a family's binaries are made from: the module's pins, and sources where it has any. */
function pinningFiles({ folder, ownSources }: Family): string[] {
  const sources = ownSources
    ? readdirSync(join(sourceFolder, folder)).filter(file => file.endsWith('.go'))
    : []
  return ['go.mod', 'go.sum', ...sources.sort()]
}

function requireGo(): void {
  const found = spawnSync('go', ['version'], { encoding: 'utf8' })
  if (found.status !== 0)
    throw new Error(
      'Go is missing: the real engines are built from source, and their manifests come from its module cache. Install Go 1.26 or later.',
    )
}

async function buildProgram(family: Family, program: Program): Promise<void> {
  const work = cacheFolder(family)
  mkdirSync(join(work, 'bin'), { recursive: true })
  for (const file of pinningFiles(family))
    copyFileSync(join(sourceFolder, family.folder, file), join(work, file))
  if (family.edited !== undefined) {
    const { pinnedBy, module, into, edit } = family.edited
    edit(moduleFolder(pinnedBy, module), join(work, into))
  }
  const stamps = Object.entries(family.stamps).map(([variable, value]) => `-X ${variable}=${value}`)
  // Built beside its final place and renamed, so that an interrupted build never leaves half a program.
  const target = join(work, 'bin', program.name)
  const flags = [
    ...['-trimpath', '-buildvcs=false', '-ldflags', ['-s', '-w', ...stamps].join(' ')],
    ...(program.tags ? ['-tags', program.tags] : []),
  ]
  // Vetting would analyse each package that the tests import, which takes as long as compiling them.
  const verb = program.isTest ? ['test', '-c', '-vet=off'] : ['build']
  await run('go', [...verb, ...flags, '-o', `${target}.part`, program.package], work)
  renameSync(`${target}.part`, target)
}

/** Runs a build step at low priority: people work on the same machine. */
function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '10', command, ...args], {
      cwd,
      env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', chunk => {
      errors = (errors + String(chunk)).slice(-4_000)
    })
    child.once('error', reject)
    child.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} failed:\n${errors}`)),
    )
  })
}

function go(args: readonly string[], cwd: string): string {
  const result = spawnSync('go', args, { cwd, encoding: 'utf8' })
  if (result.error !== undefined) throw new Error('Go is missing', { cause: result.error })
  if (result.status !== 0) throw new Error(`go ${args.join(' ')} failed: ${result.stderr || result.stdout}`)
  return result.stdout
}
