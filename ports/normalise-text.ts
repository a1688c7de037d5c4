/**
 * Normalises a text in time linear in its length. No other code may call `String.normalize`: it orders combining marks
 * one by one, so that a long run of them takes quadratic time. A run of more than 30 is cut by a combining grapheme
 * joiner, as the Stream-Safe Text Format of Unicode says (UAX 15, section 13). The joiner is a mark itself and
 * invisible. No text of any language has such runs, and every other text is normalised as usual.
 */
export const normaliseText = (text: string, form: 'NFC' | 'NFKD'): string =>
  (LONG_RUN.test(text) ? text.replaceAll(RUN, cutRun) : text).normalize(form);

/** The maximum number of combining marks in a row. */
export const LONGEST_RUN_OF_MARKS = 30;

/**
 * Matches every character that normalisation may reorder: marks, and the half-width voicing of Japanese, which becomes
 * one.
 */
const MARK = '[\\p{M}\\uff9e\\uff9f]';
const RUN = new RegExp(`${MARK}+`, 'gu');
const LONG_RUN = new RegExp(`${MARK}{${LONGEST_RUN_OF_MARKS + 1}}`, 'u');
const GRAPHEME_JOINER = '\u034f';

const cutRun = (run: string): string => {
  let cut = '';
  let marks = 0;
  for (const mark of run) {
    if (marks === LONGEST_RUN_OF_MARKS) {
      cut += GRAPHEME_JOINER;
      marks = 0;
    }
    cut += mark;
    marks += 1;
  }
  return cut;
};
