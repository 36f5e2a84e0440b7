import type { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { OwnReads } from '../../objects/requests/own-requests.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { configMapHandlers } from './config-map-handlers.js'
import { eventHandlers } from './event-handlers.js'
import { namespaceHandlers } from './namespace-handlers.js'
import { podHandlers } from './pod-handlers.js'
import { secretHandlers } from './secret-handlers.js'
import { serviceHandlers } from './service-handlers.js'

/** The kinds of Kubernetes' core group, each in a file of its own. */
export const coreHandlers = (objects: Objects, ownReads: OwnReads): ServiceHandlers<typeof CoreService> => ({
  ...configMapHandlers(objects),
  ...eventHandlers(objects),
  ...namespaceHandlers(objects, ownReads),
  ...podHandlers(objects),
  ...secretHandlers(objects),
  ...serviceHandlers(objects),
})
