import { fenced } from '../election/fenced-api.js'
import type { InstanceDependencies } from './dependencies.js'
import type { Connected, InstanceConnection } from './instance-connection.js'

/**
 * The dependencies of whatever only the leader does: every request to the host or into an instance goes through `fenced`.
 * Observers get the others, because each replica observes.
 */
export const leaderDependencies = (dependencies: InstanceDependencies): InstanceDependencies => ({
  ...dependencies,
  host: { ...dependencies.host, api: fenced(dependencies.host.api, dependencies.leadership) },
  connectionOf: name => {
    const connection = dependencies.connectionOf(name)
    const through = (connected: Connected | undefined) =>
      connected && { ...connected, api: fenced(connected.api, dependencies.leadership) }
    const view: Pick<InstanceConnection, 'current' | 'last'> = {
      get current() {
        return through(connection.current)
      },
      get last() {
        return through(connection.last)
      },
    }
    // What only the leader does uses a connection, and neither follows nor replaces it: those parts are left out.
    return view as InstanceConnection
  },
})
