import { ownWords } from './own-words.js'

const en = {
  none: (name: string) => `There is no instance named ${name}.`,
  fleet: 'All instances of the fleet',
}

const zh: typeof en = {
  none: name => `没有名为 ${name} 的实例。`,
  fleet: '舰队的所有实例',
}

export const useNoInstanceWords = ownWords({ en, zh })
