import { type AnswerAccount, AnswerMemory } from '../../../http/limits/answer-memory.js'

/** The account of a call that is alone in its process. */
export const aloneAnswers = (lasts = false): AnswerAccount => new AnswerMemory().account('test', lasts)
