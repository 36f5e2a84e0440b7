import { serviceClient } from '../../client/service-client.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'

/** The Instance service, for what is set and made. */
export const instances = serviceClient(InstanceService, rest)
