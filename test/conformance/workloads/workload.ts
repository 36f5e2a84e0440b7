import { waitFor } from '../../patience.js'
import type { Bench, Json } from '../apiserver/behaviour.js'

/** A pod template with one container that asks for little. */
export const template = (app: string, image = 'example.test/main:1', more: Json = {}): Json => ({
  metadata: { labels: { app } },
  spec: {
    containers: [{ name: 'main', image, resources: { requests: { cpu: '10m', memory: '8Mi' } } }],
    ...more,
  },
})

/** A workload of a group and kind, as a client would send it. */
export const workload = (apiVersion: string, kind: string, name: string, spec: Json): Json => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
})

/** The spec of a workload that selects the pods of its template. */
export const selecting = (app: string, more: Json = {}): Json => ({
  selector: { matchLabels: { app } },
  template: template(app),
  ...more,
})

/** The object at a path, once a check of it no longer throws. */
export const until = (bench: Bench, path: string, check: (object: Json) => void): Promise<Json> =>
  waitFor(async () => {
    const object = bench.ok(await bench.admin.get(path))
    check(object)
    return object
  })

/** Items of a collection, those of one app alone. */
export const itemsOf = async (bench: Bench, path: string, app: string): Promise<Json[]> =>
  bench.ok(await bench.admin.get(path, { labelSelector: `app=${app}` })).items

/** A status without its times. */
export const timeless = (status: Json): Json =>
  JSON.parse(JSON.stringify(status), (key, value) => (/Time$/.test(key) ? undefined : value))

/** The merge patch of a workload. */
export const patch = async (bench: Bench, path: string, body: Json): Promise<Json> =>
  bench.ok(await bench.admin.patch(path, 'merge', body))

/** `Reason: message` of the Events of an object. */
export const eventsOf = async (bench: Bench, name: string): Promise<string[]> =>
  bench
    .ok(await bench.admin.get(bench.core('events'), { fieldSelector: `involvedObject.name=${name}` }))
    .items.map(({ reason, message }: Json) => `${reason}: ${message}`)
