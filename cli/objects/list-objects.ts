import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from '@bufbuild/protobuf'
import { allPages, type PageFields } from '../../client/pages.js'
import type { Rest } from '../../client/rest.js'
import type { Config } from '../../config.js'
import { labelSelector } from '../arguments/label-selector.js'
import { objectNames } from '../arguments/object-names.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { kubernetesObject } from '../print/instance-object.js'
import { printed } from '../print/print.js'

/** What a list has of each of its messages. */
export interface Listed {
  readonly metadata?: {
    readonly name: string
    readonly namespace: string
    readonly labels: { readonly [key: string]: string }
  }
}

/** Which page of which instance. */
export interface ListRequest extends PageFields {
  readonly instance: string
}

/** One kind of a listing command. */
export interface ListedKind<S extends DescMessage = DescMessage> {
  readonly apiVersion: string
  readonly kind: string
  readonly schema: S
  /** One page of an instance's list as the server sent it. */
  list(client: Rest, request: ListRequest): Promise<JsonValue>
  /** A row of the table; the cells of wideHeader follow. */
  cells(message: MessageShape<S>, now: number): readonly string[]
}

/** A command that lists what an instance has. */
export interface Listing {
  readonly header: readonly string[]
  readonly wideHeader: readonly string[]
  readonly kinds: readonly ListedKind[]
  /** Said where there is nothing, and of a name that is not there: `cluster`. */
  readonly noun: string
}

/** Declares a kind; the type of its messages is inferred. */
export const listedKind = <S extends DescMessage>(kind: ListedKind<S>): ListedKind =>
  kind as unknown as ListedKind

/** Prints the objects of an instance that the names, the labels and the namespace select, in the order of the server. */
export async function listObjects(
  { client, out, now }: ClientContext,
  config: Config,
  [instance = '', ...names]: readonly string[],
  { header, wideHeader, kinds, noun }: Listing,
): Promise<ExitCode> {
  const select = labelSelector(config.selector ?? '')
  const named = objectNames(
    names,
    kinds.map(({ kind }) => kind),
  )
  const isWanted = ({ kind }: ListedKind, { metadata }: Listed): boolean =>
    named.has(kind, metadata?.name ?? '') &&
    (config.inNamespace === undefined || metadata?.namespace === config.inNamespace) &&
    select(metadata?.labels ?? {})
  const lists = await Promise.all(
    kinds.map(kind => allPages(async page => pageIn(await kind.list(client, { instance, ...page })))),
  )
  const found = kinds.flatMap((kind, index) =>
    (lists[index] ?? []).flatMap(raw => {
      const message = fromJson(kind.schema, raw, { ignoreUnknownFields: true })
      return isWanted(kind, message as Listed) ? [{ kind, raw, message }] : []
    }),
  )
  const where = config.inNamespace === undefined ? '' : ` in namespace ${JSON.stringify(config.inNamespace)}`
  const missing = named.missingIn(
    found.map(({ kind: { kind }, message }) => ({ kind, name: (message as Listed).metadata?.name ?? '' })),
  )
  if (missing.length > 0)
    throw new CommandError(
      `instance ${instance} has no such ${noun}${where}: ${missing.join(', ')}`,
      ExitCode.notFound,
    )
  const objects = found.map(({ kind, raw }) => kubernetesObject(raw, kind))
  const [only] = objects
  const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: objects }
  const wide = config.output === 'wide'
  const table = (): string => {
    if (found.length === 0) return `No ${plural(noun)}${where}.\n`
    const titles = wide ? [...header, ...wideHeader] : header
    const rows = found.map(({ kind, message }) => kind.cells(message, now()).slice(0, titles.length))
    return columns(titles, rows, config.noHeaders).text
  }
  const answer = only && names.length === 1 && objects.length === 1 ? only : list
  out(printed(answer, config.output, config.noHeaders) ?? table())
  return ExitCode.ok
}

const plural = (noun: string): string => (noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`)

function pageIn(answer: JsonValue) {
  const { items = [], pagination = {} } = (answer ?? {}) as {
    readonly items?: readonly JsonObject[]
    readonly pagination?: { readonly nextPageToken?: string }
  }
  return { items, pagination }
}
