import { chaosActions, chaosMeanings } from '../../ports/chaos.js'

/** Explains the actions, below the command's help. */
export const chaosHelp = `
Actions:
${chaosActions.map(action => `  ${action.padEnd(6)} ${chaosMeanings[action]}`).join('\n')}
  ${'list'.padEnd(6)} shows the members and what is done to them; takes no member`
