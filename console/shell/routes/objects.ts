import { createRoute, redirect } from '@tanstack/react-router'
import { editSearch, listSearch } from '../../tables/list-search.js'
import { instance } from './instance.js'
import { screen } from './screen.js'

const objectsStart = createRoute({
  getParentRoute: () => instance,
  path: 'objects',
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/instances/$name/objects/$kind',
      params: { ...params, kind: 'services' },
      replace: true,
    } as never)
  },
})

const objects = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind',
  validateSearch: listSearch,
  component: screen(() => import('../../objects/objects-screen.js'), 'ObjectsScreen'),
})

const newObject = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind/new',
  validateSearch: ({ namespace }: Record<string, unknown>) => ({
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  }),
  component: screen(() => import('../../objects/create-screen.js'), 'CreateObjectScreen'),
})

const object = createRoute({
  getParentRoute: () => instance,
  path: 'objects/$kind/$namespace/$object',
  validateSearch: editSearch,
  component: screen(() => import('../../objects/object-screen.js'), 'ObjectScreen'),
})

/** Screens about objects of an instance that are no workloads or policies. */
export const objectRoutes = [objectsStart, objects, newObject, object]
