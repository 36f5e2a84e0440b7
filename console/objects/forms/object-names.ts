import { useQuery } from '@tanstack/react-query'
import { objectKinds } from '../kinds.js'

/** Names that a form offers: more would not be looked through. */
const MOST_NAMES = 500

/** The names of the objects of a kind in a namespace, which a form offers; another may be typed. Empty where they may not be read. */
export function useObjectNames(
  instance: string,
  kind: 'services' | 'secrets',
  namespace: string,
): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['object-names', instance, kind, namespace],
    queryFn: async ({ signal }) => {
      const source = objectKinds[kind].source({ instance, namespace })
      const { items } = await source.list({ page: 1, pageSize: MOST_NAMES }, signal)
      return items.map(({ metadata }) => metadata?.name ?? '')
    },
    enabled: namespace !== '',
    staleTime: 0,
  })
  return data
}
