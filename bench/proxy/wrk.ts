import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Measured, pinned } from './process.js'

/** One way to ask for the same thing. */
export interface Way {
  readonly name: string
  readonly url: string
  readonly token?: string
  /** What stands between asker and upstream; absent when nothing does. */
  readonly process?: Measured
}

/** What one round of load found. Latencies in milliseconds. */
export interface Round {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU of the process in between. */
  readonly cpuMicrosecondsPerRequest?: number
  /** The most memory of it meanwhile, in bytes. */
  readonly peakRss?: number
  /** Of answers, heads included. */
  readonly megabytesPerSecond: number
  readonly failed: number
}

const REPORT = `done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"bytes":%.0f,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"failed":%d}\\n',
    summary.requests, summary.bytes, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.connect + e.read + e.write + e.status + e.timeout))
end
`

/** Debian's wrk, which asks over connections that it keeps. */
export class Wrk {
  readonly #script: string

  constructor(
    readonly tools: string,
    folder: string,
    readonly core: number | undefined,
  ) {
    this.#script = join(folder, 'report.lua')
    writeFileSync(this.#script, REPORT)
  }

  async round(way: Way, path: string, options: { connections: number; seconds: number }): Promise<Round> {
    const [program, ...args] = pinned(this.core, [
      join(this.tools, 'usr/bin/wrk'),
      ...['-t1', `-c${options.connections}`, `-d${options.seconds}s`, '--timeout', '20s', '-s', this.#script],
      ...(way.token ? ['-H', `Authorization: Bearer ${way.token}`] : []),
      way.url + path,
    ])
    way.process?.forgetPeakRss()
    const before = way.process?.cpuSeconds() ?? 0
    const { stdout } = await promisify(execFile)(program ?? '', args, {
      env: { ...process.env, LD_LIBRARY_PATH: join(this.tools, 'usr/lib/x86_64-linux-gnu') },
    })
    const after = way.process?.cpuSeconds() ?? 0
    const found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
      requests: number
      bytes: number
      seconds: number
      p50: number
      p99: number
      failed: number
    }
    const { requests, bytes, seconds, p50, p99, failed } = found
    const perSecond = requests / seconds
    return {
      perSecond: perSecond < 100 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond),
      p50,
      p99,
      ...(way.process && {
        cpuMicrosecondsPerRequest: Math.round(((after - before) / requests) * 1e6),
        peakRss: way.process.peakRssBytes(),
      }),
      megabytesPerSecond: Math.round(bytes / seconds / 1e6),
      failed,
    }
  }

  /** What compiles while it runs is not measured before it has. @throws Error when anything fails: figures of refusals mean nothing */
  async #warmUp(way: Way, path: string, connections: number): Promise<void> {
    let [requests, megabytes] = [0, 0]
    for (let second = 0; second < 10 && requests < 5_000 && megabytes < 500; second++) {
      const { perSecond, megabytesPerSecond, failed } = await this.round(way, path, {
        connections,
        seconds: 1,
      })
      if (failed > 0) throw new Error(`${failed} requests of ${perSecond} failed: ${way.name} ${path}`)
      requests += perSecond
      megabytes += megabytesPerSecond
    }
  }

  /** Every way in turn, several times over, so that what else the machine does befalls all of them alike; medians. */
  async compare(
    ways: readonly Way[],
    path: (way: Way) => string,
    options: { connections: number; seconds: number; rounds: number },
    say: (line: string) => void,
  ): Promise<Record<string, Round>> {
    const found = new Map<string, Round[]>(ways.map(({ name }) => [name, []]))
    for (const way of ways) await this.#warmUp(way, path(way), options.connections)
    for (let round = 0; round < options.rounds; round++) {
      for (const way of ways) {
        const result = await this.round(way, path(way), options)
        found.get(way.name)?.push(result)
        say(`  ${way.name}: ${JSON.stringify(result)}`)
      }
    }
    return Object.fromEntries([...found].map(([name, rounds]) => [name, medianOf(rounds)]))
  }
}

function medianOf(rounds: readonly Round[]): Round {
  const median = (values: readonly number[]): number =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  const peaks = rounds.flatMap(round => round.peakRss ?? [])
  const cpu = rounds.flatMap(round => round.cpuMicrosecondsPerRequest ?? [])
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    ...(cpu.length > 0 && { cpuMicrosecondsPerRequest: median(cpu) }),
    ...(peaks.length > 0 && { peakRss: Math.max(...peaks) }),
    megabytesPerSecond: median(rounds.map(round => round.megabytesPerSecond)),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  }
}
