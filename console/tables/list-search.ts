/** The search parameters of a list. */
export interface ListSearch {
  readonly find?: string
  /** The top row, counted from 1; absent: the first. */
  readonly row?: number
}

/** Reads search parameters of an address, which anybody may have typed. */
export const listSearch = ({ find, row }: Record<string, unknown>): ListSearch => ({
  ...(typeof find === 'string' && find !== '' && { find }),
  ...(Number.isInteger(row) && (row as number) > 1 && { row: row as number }),
})

/** The search parameter of one object: whether it is being edited. */
export const editSearch = ({ edit }: Record<string, unknown>): { readonly edit?: true } => ({
  ...(edit === true && { edit }),
})

/** Search parameters with one field changed, or removed where the value is undefined. */
export function withField<S extends object, K extends keyof S>(
  search: S,
  field: K,
  value: S[K] | undefined,
): S {
  const { [field]: _, ...rest } = search
  return (value === undefined ? rest : { ...rest, [field]: value }) as S
}
