import type { ServiceScenarios } from '../scenario.js'
import { autoscaling } from './autoscaling.js'
import { instance } from './instance.js'
import { networking } from './networking.js'

/** The scenarios of every service that has some. */
export const services: readonly ServiceScenarios[] = [instance, networking, autoscaling]
