import { useQuery } from '@tanstack/react-query'
import { objectKinds } from '../kinds.js'

/** The most names that a form offers. */
const MOST_NAMES = 500

/** The names of objects of a kind in a namespace, for a form; users may type another. Empty where the caller may not list them. */
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
