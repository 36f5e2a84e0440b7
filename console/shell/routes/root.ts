import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { Frame } from '../frame.js'
import { NotFound } from '../not-found.js'

export const root = createRootRoute({ component: Frame, notFoundComponent: NotFound })

export const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/instances', replace: true })
  },
})
