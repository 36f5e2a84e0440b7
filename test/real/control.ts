import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Site } from './site.js'

/** What a suite may do to an engine: end it in order, end it as a crash would, bring it back, freeze it, thaw it. */
export type EngineAction = 'stop' | 'crash' | 'start' | 'freeze' | 'thaw'

/**
 * Lets suites, which run in other processes, break and mend the engines: `POST /{engine}/{action}` on loopback, answered
 * when it is done.
 */
export async function startControl(site: Site): Promise<{ url: string; close(): void }> {
  const server: Server = createServer((request, response) => {
    const [, engine = '', action = ''] = (request.url ?? '').split('/')
    act(site, engine, action as EngineAction).then(
      () => response.writeHead(204).end(),
      (problem: unknown) =>
        response.writeHead(500).end(problem instanceof Error ? problem.message : String(problem)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

async function act(site: Site, name: string, action: EngineAction): Promise<void> {
  const engine = site.engine(name)
  if (action === 'stop') await engine.stop()
  else if (action === 'crash') await engine.crash()
  else if (action === 'start') await engine.start()
  else if (action === 'freeze') engine.signal('SIGSTOP')
  else if (action === 'thaw') engine.signal('SIGCONT')
  else throw new Error(`an engine cannot ${action}`)
}

/** The suites' side of the control: does something to an engine. */
export async function control(url: string, engine: string, action: EngineAction): Promise<void> {
  const response = await fetch(`${url}/${engine}/${action}`, { method: 'POST' })
  if (!response.ok) throw new Error(`${action} ${engine}: ${await response.text()}`)
}
