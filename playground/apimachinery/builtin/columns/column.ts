import { humanDuration, timeSince } from '../../human-duration.js'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import { selectorFromObject } from '../../label-selector.js'
import type { PrinterColumn } from '../../resource-definition.js'

export type Cell = (object: JsonObject, now: Date) => Json

/** A column that is always shown. */
export const column = (
  name: string,
  value: Cell,
  description: string,
  type: PrinterColumn['type'] = 'string',
): PrinterColumn => ({ name, type, description, priority: 0, value })

/** A column of `-o wide`. */
export const wide = (name: string, value: Cell, description: string): PrinterColumn => ({
  ...column(name, value, description),
  priority: 1,
})

export const NAME: PrinterColumn = {
  ...column(
    'Name',
    object => stringAt(object, 'metadata', 'name'),
    'Name must be unique within a namespace. It is given when the object is created and cannot be changed.',
  ),
  format: 'name',
}
export const AGE = column(
  'Age',
  (object, now) => timeSince(at(object, 'metadata', 'creationTimestamp'), now),
  'How long ago the server created the object.',
)

/** The string at a path, or `otherwise` when it is absent or empty. */
export const text =
  (path: string, otherwise = ''): Cell =>
  object => {
    const value = at(object, ...path.split('.'))
    return value === undefined || value === null || value === '' ? otherwise : String(value)
  }

/** The number at a path, or 0. */
export const count = (object: JsonObject, path: string): number => {
  const value = at(object, ...path.split('.'))
  return typeof value === 'number' ? value : 0
}
export const number =
  (path: string): Cell =>
  object =>
    count(object, path)
export const flag =
  (path: string): Cell =>
  object =>
    at(object, ...path.split('.')) === true
export const length =
  (path: string): Cell =>
  object =>
    listAt(object, ...path.split('.')).length
export const since =
  (path: string, otherwise = '<unknown>'): Cell =>
  (object, now) => {
    const time = at(object, ...path.split('.'))
    return typeof time === 'string' ? timeSince(time, now) : otherwise
  }

/** `3m` between two times at paths, or since the first while the second is absent. */
export const between =
  (from: string, to: string): Cell =>
  (object, now) => {
    const start = Date.parse(stringAt(object, ...from.split('.')))
    const end = Date.parse(stringAt(object, ...to.split('.')))
    if (Number.isNaN(start)) return ''
    return humanDuration((Number.isNaN(end) ? now.getTime() : end) - start)
  }

/** CONTAINERS and IMAGES of a pod spec at a path. */
export const containers = (path: string): readonly PrinterColumn[] => {
  const joined =
    (key: string): Cell =>
    object =>
      listAt(object, ...path.split('.'), 'containers')
        .map(one => stringAt(one, key))
        .join(',')
  return [
    wide('Containers', joined('name'), 'Names of the containers in the template.'),
    wide('Images', joined('image'), 'Images of the containers in the template.'),
  ]
}

/** SELECTOR of a `metav1.LabelSelector` at a path. */
export const selectorColumn = (path: string, name = 'Selector'): PrinterColumn =>
  wide(name, object => selectorText(at(object, ...path.split('.'))), 'Label selector of the pods.')

/** `app=web,tier in (a,b)`; `<none>` when it selects everything or is absent. */
export function selectorText(selector: Json | undefined): string {
  if (!isObject(selector)) return '<none>'
  const { requirements } = selectorFromObject(selector)
  if (requirements.length === 0) return '<none>'
  return requirements
    .map(({ key, operator, values }) => {
      switch (operator) {
        case 'in':
        case 'notin':
          return `${key} ${operator} (${[...values].sort().join(',')})`
        case 'exists':
          return key
        case '!':
          return `!${key}`
        default:
          return `${key}=${values.join(',')}`
      }
    })
    .join(',')
}

/** A map of labels as `a=b,c=d`; `<none>` when there are none. */
function labelsText(labels: JsonObject): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`)
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',')
}

/** The condition of a type in `status.conditions`. */
export const condition = (object: Json, type: string): JsonObject | undefined =>
  listAt(object, 'status', 'conditions').find((one): one is JsonObject => isObject(one) && one.type === type)

export const conditionIsTrue = (object: Json, type: string): boolean =>
  condition(object, type)?.status === 'True'

export const labelsOf =
  (path: string): Cell =>
  object =>
    labelsText(objectAt(object, ...path.split('.')))
