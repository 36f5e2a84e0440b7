import { lazyRouteComponent } from '@tanstack/react-router'
import { piece } from '../../loading/piece.js'

/**
 * A screen that is loaded when it is first shown. Where a script does not come, the router alone would load the whole page anew, and texts that were
 * written and not applied would go with it: here its reader is asked.
 */
export const screen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => piece(load), name)
