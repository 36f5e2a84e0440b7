import type { JsonObject, MutableJsonObject } from '../../apimachinery/json.js'

/** Events are stored as core/v1; events.k8s.io/v1 shows the same objects under newer names. */
export const EVENTS = 'events'
const CORE = 'v1'
const NEWER = 'events.k8s.io/v1'

/** core/v1 name → events.k8s.io/v1 name; all other fields have the same name in both. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['involvedObject', 'regarding'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
]

/** An Event as the other group's type. @param apiVersion `v1` or `events.k8s.io/v1` */
export function convertEvent(event: JsonObject, apiVersion: string): JsonObject {
  if (event.apiVersion === apiVersion) return event
  const names = new Map(
    RENAMED.map(([core, newer]) => (apiVersion === NEWER ? [core, newer] : [newer, core])),
  )
  const converted: MutableJsonObject = {}
  for (const [key, value] of Object.entries(event)) converted[names.get(key) ?? key] = value
  return { ...converted, apiVersion: apiVersion === NEWER ? NEWER : CORE }
}
