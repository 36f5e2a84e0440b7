import { lazyRouteComponent } from '@tanstack/react-router'
import { loadChunk } from '../../connection/load-chunk.js'

/**
 * A screen that is loaded when it is first shown. Where loading fails, TanStack Router would reload the page and lose unsaved text; a ChunkLoadError
 * is shown instead, and the user decides.
 */
export const screen: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadChunk(load), name)
