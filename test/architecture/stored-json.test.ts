import { expect } from 'chai';
import { readSources } from './source-files.ts';

/** Files that read rows, and also parse a text from elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'adapters/sql/damaged-columns.ts': 'decodes the list of a fact, and guards it',
  'plugins/importers/csv-mapping.ts': 'parses a file; its rows are lines',
  'plugins/facts/sweep-replies.ts': 'parses the position of an erasure, which its row seals',
  'plugins/federation/pulling/sweep-parked.ts': 'parses the position of an erasure, which its row seals',
};

/** Words of a file that reads rows. */
const READS_ROWS = /\brow\[|\bSqlValue\b|\bown\(|\bown\.select\(|\bReadableTables\b|\bPluginTables\b|\bNodeNotes\b/;

describe('stored JSON', () => {
  it('is parsed by the decoder of sealed texts alone', async () => {
    const sources = await readSources();
    const parsing = sources
      .filter(({ path }) => /^(adapters|plugins)\//.test(path))
      .filter(({ text }) => text.includes('JSON.parse(') && READS_ROWS.test(text));
    expect(parsing.map(({ path }) => path).sort()).to.deep.equal(Object.keys(ELSEWHERE).sort());
  });
});
