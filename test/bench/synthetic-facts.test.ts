import { expect } from 'chai';
import { createBareLexical } from '../../bench/ceiling/bare-lexical.ts';
import {
  FACTS_PER_SESSION,
  factWords,
  questionWords,
  spell,
  syntheticRow,
  WORDS_IN_USE,
} from '../../bench/recall/synthetic-facts.ts';
import { rowToFact } from '../../bench/row-to-fact.ts';

describe('The facts of the latency bench', () => {
  it('are the same in each run: sessions of equal size, and 5 to 24 words in each fact', () => {
    const rows = Array.from({ length: 3 * FACTS_PER_SESSION }, (_, n) => syntheticRow(n));
    expect(rows[7]).to.deep.equal(syntheticRow(7));
    expect(new Set(rows.map((row) => rowToFact(row).session)).size).to.equal(3);
    expect(new Set(rows.map((row) => rowToFact(row).body.entity)).size).to.equal(rows.length);
    for (const { text } of rows) expect(text.split(' ').length).to.be.within(5, 24);
  });

  it('use a distinct spelling for each word', () => {
    const all = Array.from({ length: WORDS_IN_USE }, (_, word) => spell([word]));
    expect(new Set(all).size).to.equal(WORDS_IN_USE);
  });

  it('are queried by words of one fact, or by random words', () => {
    const facts = 100;
    const asked = questionWords(4, facts);
    expect(
      Array.from({ length: facts }, (_, n) => factWords(n)).some((words) =>
        asked.every((word) => words.includes(word)),
      ),
    ).to.equal(true);
    expect(questionWords(5, facts).length).to.be.within(1, 8);
  });

  it('are found through the bare index by their words', () => {
    const texts = [[1, 2, 3], [2, 3, 3], [4]];
    const bare = createBareLexical(texts.length, 5, (document) => texts[document] as number[]);
    expect(bare.run([3], 10)).to.equal(2);
    expect(bare.run([4, 1], 10)).to.equal(2);
    expect(bare.run([2], 1)).to.equal(1);
    expect(bare.run([0], 10)).to.equal(0);
  });
});
