import type { html } from 'hono/html'

/** What hono/html makes: text whose interpolations are escaped. */
export type Html = ReturnType<typeof html>

/** The parts of a JSON schema that the documentation page shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: unknown
  readonly format?: string
  readonly description?: string
  readonly readOnly?: boolean
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>

/** A parameter in the path or the query. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

/** The parts of an OpenAPI operation that the documentation page shows. */
export interface Operation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}
