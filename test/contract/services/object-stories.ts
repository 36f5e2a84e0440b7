import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Answer, Scenario } from '../scenario.js'

/** What the story of a kind needs to know of it. */
interface Life {
  readonly kind: string
  readonly manifest: (name: string) => object
  /** Fails unless the message shows the manifest. */
  readonly shows: (message: Answer) => void
  /** The update: what becomes another in the whole object, and what fails unless it has. */
  readonly update?: {
    readonly change: (whole: Answer) => void
    readonly changed: (whole: Answer) => void
    /** Only the manifest names the object. */
    readonly nameless?: boolean
  }
  /** The patch as the request has it, and what fails unless the whole object shows it. */
  readonly patch?: { readonly data: unknown; readonly patched: (whole: Answer) => void }
}

/** One object from its creation to its deletion, through all that the API has for the kind. */
export const lifeOf = ({ kind, manifest, shows, update, patch }: Life): Scenario => ({
  proves: [
    ...[`Create${kind}`, `Get${kind}`, `Get${kind}JSON`, `Delete${kind}`],
    ...(update ? [`Update${kind}`] : []),
    ...(patch ? [`Patch${kind}`] : []),
  ],
  async run({ ask, refused, namespace }) {
    const key = { name: 'one' }
    const created = wholeOf(await ask(`Create${kind}`, { data: JSON.stringify(manifest(key.name)) }))
    deepEqual([created.kind, created.metadata.name, created.metadata.namespace], [kind, key.name, namespace])

    const shown = await ask(`Get${kind}`, key)
    deepEqual([shown.metadata.name, shown.metadata.uid], [key.name, created.metadata.uid])
    shows(shown)

    const whole = wholeOf(await ask(`Get${kind}JSON`, key))
    deepEqual([whole.kind, whole.metadata.uid], [kind, created.metadata.uid])

    if (update) {
      update.change(whole)
      const request = { ...(!update.nameless && key), data: JSON.stringify(whole) }
      update.changed(wholeOf(await ask(`Update${kind}`, request)))
      equal(await refused(`Update${kind}`, request), 409)
      update.changed(wholeOf(await ask(`Get${kind}JSON`, key)))
    }
    if (patch) {
      patch.patched(wholeOf(await ask(`Patch${kind}`, { ...key, data: patch.data })))
      const after = wholeOf(await ask(`Get${kind}JSON`, key))
      patch.patched(after)
      update?.changed(after)
    }

    deepEqual(await ask(`Delete${kind}`, key), {})
    equal(await refused(`Get${kind}`, key), 404)
  },
})

/** What the story of a kind's lists needs to know of it. */
interface Lists {
  /** What creates an object, what lists those of a namespace and those of the instance. */
  readonly create: string
  readonly list: string
  readonly everywhere: string
  readonly manifest: (name: string) => object
  /** The list of the instance can be narrowed to a namespace, and by labels. */
  readonly narrowed?: boolean
  /** What ListServices calls the direction. */
  readonly direction?: 'orderBy'
}

/** Lists of a namespace and of the instance: parts of names, pages, orders and counts. */
export const listsOf = ({
  create,
  list,
  everywhere,
  manifest,
  narrowed = false,
  direction,
}: Lists): Scenario => ({
  proves: [list, everywhere],
  async run({ ask, namespace, unique }) {
    for (const name of ['c', 'a', 'b'])
      await ask(create, { data: JSON.stringify(manifest(`${name}-${unique}`)) })
    await ask(create, { data: JSON.stringify(manifest('other')) })

    const sorted = { sortBy: 'field_name', [direction ?? 'sortDir']: 'asc', name: unique }
    const second = await ask(list, { ...sorted, page: 2, pageSize: 2 })
    deepEqual(namesOf(second), [`c-${unique}`])
    deepEqual(second.pagination, { total: 3, page: 2, pageSize: 2, pages: 2 })
    deepEqual(namesOf(await ask(list, { ...sorted, [direction ?? 'sortDir']: 'desc' })), [
      `c-${unique}`,
      `b-${unique}`,
      `a-${unique}`,
    ])

    const all = await ask(everywhere, { name: unique, ...(narrowed && { namespace }) })
    deepEqual(namesOf(all), [`a-${unique}`, `b-${unique}`, `c-${unique}`])
    ok(all.items.every((item: Answer) => item.metadata.namespace === namespace))
    if (narrowed) deepEqual(namesOf(await ask(everywhere, { name: unique, namespace: 'karmada-system' })), [])
  },
})

/** The object that an answer has as text. */
export const wholeOf = ({ data }: { readonly data: string }): Answer => JSON.parse(data)

/** The names of what a list shows, in its order. */
export const namesOf = ({ items }: { items: { metadata: { name: string } }[] }): string[] =>
  items.map(({ metadata }) => metadata.name)
