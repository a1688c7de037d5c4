import { TopDocuments } from '../../plugins/search/index/top-documents.ts';
import { searchPart } from '../../plugins/search/words/max-score.ts';
import { TIMES_BITS } from '../../plugins/search/words/posting-lists.ts';

/**
 * The lower bound for a search by words: postings in a flat array, scored by the MaxScore loop. Words are numbers;
 * there are no texts, filters, identifiers or bounds by document length.
 */
export interface BareLexical {
  /** Returns the number of found documents, so that the compiler cannot optimise the work away. */
  run(words: readonly number[], limit: number): number;
}

const K1 = 1.2;
const B = 0.6;
/** The highest document length that a byte can hold. Longer documents count as this long. */
const LONGEST = 255;

/**
 * Creates an index of `documents` texts. `wordsOf` must return the same words for the same document every time. Words
 * are numbers below `distinct`.
 */
export const createBareLexical = (
  documents: number,
  distinct: number,
  wordsOf: (document: number) => readonly number[],
): BareLexical => {
  const lengths = new Uint8Array(documents);
  const starts = new Uint32Array(distinct + 1);
  let total = 0;
  for (let document = 0; document < documents; document += 1) {
    const words = wordsOf(document);
    total += words.length;
    lengths[document] = Math.min(LONGEST, words.length);
    for (const word of new Set(words)) starts[word + 1] = (starts[word + 1] as number) + 1;
  }
  for (let word = 0; word < distinct; word += 1)
    starts[word + 1] = (starts[word + 1] as number) + (starts[word] as number);
  const postings = new Uint32Array(starts[distinct] as number);
  const most = new Uint8Array(distinct);
  const ends = starts.slice();
  for (let document = 0; document < documents; document += 1) {
    for (const [word, times] of countWords(wordsOf(document))) {
      postings[ends[word] as number] = document * 2 ** TIMES_BITS + times;
      ends[word] = (ends[word] as number) + 1;
      if (times > (most[word] as number)) most[word] = times;
    }
  }
  const penalties = Float64Array.from(
    { length: LONGEST + 1 },
    (_, length) => K1 * (1 - B + (B * length * documents) / total),
  );
  return {
    run(words, limit) {
      const terms = words.map((word) => {
        const list = postings.subarray(starts[word], starts[word + 1]);
        const weight = Math.log(1 + (documents - list.length + 0.5) / (list.length + 0.5));
        const times = most[word] as number;
        return { postings: list, weight, bound: (weight * times) / (times + (penalties[times] as number)) };
      });
      terms.sort((a, b) => b.postings.length - a.postings.length);
      const top = new TopDocuments(limit, documents);
      searchPart(terms, lengths, penalties, () => true, top);
      return top.take().length;
    },
  };
};

const countWords = (words: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};
