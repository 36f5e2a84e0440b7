import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where each cluster of a playground keeps its data and on which port it listened, so that a restart finds both again. */
export class Places {
  readonly #folder: string | undefined
  readonly #ports: Record<string, number>

  constructor(folder: string | undefined) {
    this.#folder = folder
    this.#ports = folder === undefined ? {} : readPorts(folder)
  }

  /** What to start a cluster with. */
  of(cluster: string): { readonly dataDir?: string; readonly port?: number } {
    if (this.#folder === undefined) return {}
    const port = this.#ports[cluster]
    return { dataDir: join(this.#folder, 'clusters', cluster), ...(port !== undefined && { port }) }
  }

  remember(cluster: string, url: string): void {
    this.#ports[cluster] = Number(new URL(url).port)
  }

  /** Deletes what a cluster kept. */
  forget(cluster: string): void {
    delete this.#ports[cluster]
    const { dataDir } = this.of(cluster)
    if (dataDir === undefined) return
    rmSync(dataDir, { recursive: true, force: true })
    this.save()
  }

  save(): void {
    if (this.#folder === undefined) return
    mkdirSync(this.#folder, { recursive: true })
    const path = join(this.#folder, 'ports.json')
    writeFileSync(`${path}.new`, `${JSON.stringify(this.#ports, null, 2)}\n`)
    renameSync(`${path}.new`, path)
  }
}

function readPorts(folder: string): Record<string, number> {
  const path = join(folder, 'ports.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${path} cannot be read; delete it to have new ports chosen`, { cause: error })
  }
}
