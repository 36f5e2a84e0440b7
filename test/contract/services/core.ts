import type { ServiceScenarios } from '../scenario.js'
import { configMaps } from './core/config-maps.js'
import { events } from './core/events.js'
import { namespaces } from './core/namespaces.js'
import { pods } from './core/pods.js'
import { secrets } from './core/secrets.js'
import { serviceScenarios } from './core/services.js'

/** Scenarios of the Core service. */
export const core: ServiceScenarios = {
  service: 'Core',
  scenarios: [...configMaps, ...secrets, ...serviceScenarios, ...pods, ...namespaces, ...events],
}
