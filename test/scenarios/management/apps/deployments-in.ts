import type { AppsService } from '../../../../proto/gen/kairship/apps_pb.js'
import { eventually } from '../../support/eventually.js'
import type { ManagedWorld } from '../../support/managed-world.js'
import { requestsTo } from '../requests.js'

/** The manifest of a Deployment with four replicas. */
export const deployment = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name }, ...metadata },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'nginx:1.27' }] },
    },
    ...spec,
  },
})

/** Makes Deployments through the API. */
export function deploymentsIn(world: ManagedWorld<typeof AppsService>) {
  const { at, named } = requestsTo(world)
  /** Creates a Deployment over REST. */
  const create = async (name: string, spec?: object, metadata?: object) => {
    const { data } = await world.calls.rest('createDeployment', {
      ...at(),
      data: JSON.stringify(deployment(name, spec, metadata)),
    })
    return JSON.parse(data)
  }
  /** Creates one that a policy divides over both members, and waits until it runs. */
  async function run(name: string, spec?: object) {
    await world.place('Deployment', name, { apiVersion: 'apps/v1', divided: true })
    await create(name, spec)
    return state(name, 'WORKLOAD_STATE_RUNNING')
  }
  /** Waits for a state, and returns the Deployment that is in it. */
  const state = (name: string, wanted: string) => {
    let status: unknown
    const story = () => `its status: ${JSON.stringify(status)}`
    return eventually(
      `${name} is ${wanted}`,
      async () => {
        const shown = await world.calls.rest('getDeployment', named(name))
        status = shown.status
        return shown.status.state === wanted && shown
      },
      { story },
    )
  }
  return { create, run, state }
}
