import { serviceClient } from '../../client/service-client.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { rest } from './rest.js'

/** The client of the Instance service. */
export const instances = serviceClient(InstanceService, rest)
