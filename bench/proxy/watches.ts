import type { Site } from './site.js'
import type { Way } from './wrk.js'

/** How long memory may settle before it is read. */
const SETTLE_MS = 3_000

/** Memory of silent watches through a process, by what the system counts before and after. */
export async function measureIdle(
  site: Site,
  { process: measured, url }: Way,
  path: string,
  count: number,
  tokens: readonly string[],
) {
  if (!measured) throw new Error('nothing to measure')
  const open = async (watches: number) => {
    const reader = site.script('streams', ['reader', url + path, String(watches), ...tokens])
    await reader.says(/^open$/m)
    return reader
  }
  // What is made once, for the first watch, is not the cost of each.
  await (await open(50)).stop()
  await settled()
  const before = measured.rssBytes()
  const reader = await open(count)
  await settled()
  const after = measured.rssBytes()
  const cpuFrom = measured.cpuSeconds()
  await settled()
  const cpuSeconds = measured.cpuSeconds() - cpuFrom
  await reader.stop()
  return {
    watches: count,
    rssBytesEach: Math.round((after - before) / count),
    rssBytes: after,
    cpuPercentAtRest: Math.round((cpuSeconds / (SETTLE_MS / 1_000)) * 1_000) / 10,
  }
}

/** Events per second over some watches that are never silent, and what one costs. */
export async function measureEvents(
  site: Site,
  ways: readonly Way[],
  path: string,
  watches: number,
  say: (line: string) => void,
) {
  const found: Record<string, unknown> = {}
  for (const { name, url, token, process: measured } of ways) {
    const before = measured?.cpuSeconds() ?? 0
    const reader = site.script('streams', ['reader', url + path, String(watches), ...(token ? [token] : [])])
    const [, text = ''] = await reader.says(/^over (.*)$/m)
    const { events, seconds } = JSON.parse(text) as { events: number; seconds: number }
    found[name] = {
      events,
      perSecond: Math.round(events / seconds),
      ...(measured && {
        cpuMicrosecondsPerEvent: Math.round(((measured.cpuSeconds() - before) / events) * 1e7) / 10,
      }),
    }
    say(`events, ${name}: ${JSON.stringify(found[name])}`)
  }
  return found
}

const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, SETTLE_MS))
