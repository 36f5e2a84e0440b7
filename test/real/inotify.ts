import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LIMIT = '/proc/sys/fs/inotify/max_user_instances'

/** How many inotify instances each program of this user holds, by its name; of other users only root can see it. */
function held(): Map<string, number> {
  const by = new Map<string, number>()
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const program = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        if (readlinkSync(`/proc/${pid}/fd/${fd}`) === 'anon_inode:inotify')
          by.set(program, (by.get(program) ?? 0) + 1)
      }
    } catch (error) {
      // A process or a descriptor can go while it is looked at, and others' are not ours to see.
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) throw error
    }
  }
  return by
}

/**
 * Linux gives each user a number of inotify instances. KWOK takes one for each log that is followed, also from a log that
 * nobody follows any more, and API servers take some for their certificate files. Without one left `logs -f` fails
 * in ways that look like a failure of the proxy.
 * @throws when fewer than `needed` are left, with who holds them and what to do
 */
export function needInotifyInstances(needed: number): void {
  if (process.platform !== 'linux') return
  const limit = Number(readFileSync(LIMIT, 'utf8'))
  const by = held()
  const used = [...by.values()].reduce((sum, count) => sum + count, 0)
  if (limit - used >= needed) return
  const holders = [...by].sort(([, a], [, b]) => b - a).map(([program, count]) => `${program} ${count}`)
  throw new Error(
    `${needed} inotify instances are needed to follow logs, and ${used} of ${limit} are in use (${holders.join(', ')}): ` +
      `raise fs.inotify.max_user_instances (sysctl), or end the stack and start it anew`,
  )
}
