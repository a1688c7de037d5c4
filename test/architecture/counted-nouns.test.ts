import { expect } from 'chai';
import { readSources } from './source-files.ts';

/** Nouns that messages count. Bytes and characters are left out, because a limit of one makes no sense. */
const NOUNS =
  'backup|conflict|contradiction|entrie|erasure|fact|file|finding|increment|item|job|key|line|member|object|page|' +
  'peer|plugin|retraction|row|rule|source|task|tenant|text|token|tombstone|unit|value|vector|verdict';
const COUNTED = new RegExp(`\\$\\{([^{}]+)\\} (?:${NOUNS})s\\b(?!/)`, 'g');
/** A limit is a constant or a number of at least two, and is named so. */
const LIMIT = /(?:^|\.)(?:[A-Z][A-Z_0-9]+|(?:max|most)[A-Z]\w*)$|\blimit\b/;

const plainCounts = (text: string): string[] =>
  [...text.matchAll(COUNTED)].filter(([, expression = '']) => !LIMIT.test(expression)).map(([found]) => found);

describe('counts in messages', () => {
  it('are spelled by countNoun, so that one of a thing has no plural', async () => {
    const sources = (await readSources()).filter(({ path }) => /^(?:kernel|plugins|config|adapters\/cli)\//.test(path));
    const found = sources.flatMap(({ path, text }) => plainCounts(text).map((count) => `${path}: ${count}`));
    expect(found).to.deep.equal([]);
  });

  it('are found where a plural follows any number', () => {
    const spelled = (expression: string, noun: string): string => `$\{${expression}} ${noun}`;
    const message = [spelled('made.length', 'backups'), spelled('MAX_FACTS', 'facts'), spelled('mostKeys', 'keys')];
    expect(plainCounts(message.join(', '))).to.deep.equal([message[0]]);
  });
});
