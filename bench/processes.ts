import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU that processes have used, by the kernel's own count in /proc. On a machine that does other things as well, CPU per
 * request is what can be compared; latencies and rates are only what was left over.
 */

/** Linux tells times in hundredths of a second, whatever the kernel was built with (USER_HZ). */
const millisecondsPerTick = 10

/** Milliseconds of CPU, user and system, that a process and its direct children have used; 0 when it is gone. */
export function cpuOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ticks(each), 0) * millisecondsPerTick
}

/** Milliseconds of CPU that the whole machine has used, everything counted but idling and waiting for disks. */
export function cpuOfMachine(): number {
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields.map(Number)
  return (user + nice + system + irq + softirq) * millisecondsPerTick
}

/** Direct children: PostgreSQL answers each connection with a process of its own. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    // It ended between two looks.
    return []
  }
}

/** User and system time of a process and of those of its children that have ended: fields 14 to 17 of `stat`. */
function ticks(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; what follows it does not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  } catch {
    // It ended between two looks.
    return 0
  }
}
