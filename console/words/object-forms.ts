import { objectFormsEn } from './object-forms-en.js'
import { objectFormsZh } from './object-forms-zh.js'
import { ownWords } from './own-words.js'

export const useObjectFormWords = ownWords({ en: objectFormsEn, zh: objectFormsZh })
