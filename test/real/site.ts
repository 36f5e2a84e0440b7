import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type EngineOptions, EngineProcess } from './engine-process.js'

/** The folder of one run of the stack and the engines that run in it. */
export class Site {
  private readonly engines: EngineProcess[] = []

  /** @param folder created by the caller and removed by `close` */
  constructor(readonly folder: string) {
    mkdirSync(join(folder, 'logs'), { recursive: true })
  }

  /** Writes a file readable by this user only, and returns its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  /** Starts an engine that `close` will end. */
  async run(options: Omit<EngineOptions, 'log'>): Promise<EngineProcess> {
    const log = join(this.folder, 'logs', `${options.name}.log`)
    const engine = new EngineProcess({ ...options, log, revive: true })
    this.engines.push(engine)
    await engine.start()
    return engine
  }

  /** Name and process id of what runs now. */
  processes(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.engines.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])),
    )
  }

  /** The engine of that name. */
  engine(name: string): EngineProcess {
    const engine = this.engines.find(engine => engine.name === name)
    if (engine === undefined) throw new Error(`no engine is called ${name}`)
    return engine
  }

  /** Ends every engine and removes the folder unless `keep` says otherwise. */
  async close(keep = false): Promise<void> {
    // What the others store in goes last, so that nobody spends its last seconds on a store that is gone.
    const isStore = ({ name }: EngineProcess): boolean => name === 'etcd' || name === 'postgres'
    await Promise.all(this.engines.filter(engine => !isStore(engine)).map(engine => engine.stop()))
    await Promise.all(this.engines.filter(isStore).map(engine => engine.stop()))
    if (!keep) this.remove()
  }

  /** Removes the folder. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
