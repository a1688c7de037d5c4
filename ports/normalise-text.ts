/**
 * Normalises a text in time linear in its length, whatever it contains. This is the only place that may call
 * `String.normalize`: combining marks are put in order one by one, so that a run of them takes quadratic time. As the
 * Stream-Safe Text Format of Unicode says (UAX 15, section 13), a run of more than 30 is cut by a combining grapheme
 * joiner, which is a mark itself and changes nothing that people see. No text of any language has such runs, and every
 * other text is normalised as ever.
 */
export const normaliseText = (text: string, form: 'NFC' | 'NFKD'): string =>
  (LONG_RUN.test(text) ? text.replaceAll(RUN, cutRun) : text).normalize(form);

/** Marks that may follow one another. */
export const LONGEST_RUN_OF_MARKS = 30;

/** Everything that is put in order is a mark, or the half-width voicing of Japanese, which becomes one. */
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
