import { accessEn } from './access.js'
import { accessZh } from './access-zh.js'
import { useLanguage } from './use-words.js'

/** The texts of the screens of access, which are loaded with them and not with the first screen. */
export const useAccessWords = (): typeof accessEn => (useLanguage().language === 'zh' ? accessZh : accessEn)
