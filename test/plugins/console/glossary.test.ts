import { expect } from 'chai';
import { pageText } from '../../documents/read-pages.ts';
import { importConsoleModule } from '../../kit/console-module.ts';

interface GlossaryModule {
  readonly readGlossary: (page: string) => readonly { readonly word: string; readonly means: string }[];
}

describe('the glossary in the console', () => {
  it('has every word of the page, in plain text', async () => {
    const { readGlossary } = await importConsoleModule<GlossaryModule>('screens/terms/glossary.ts');
    const page = pageText('docs/concepts/glossary.md');
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    const words = readGlossary(page);
    expect(words.length).to.equal(rows.length - 1);
    expect(words.filter(({ word, means }) => /[|`\]]/.test(word + means))).to.deep.equal([]);
    expect(words).to.deep.include({
      word: 'conflict',
      means: 'the record of a contradiction in one place, open or resolved',
    });
  });
});
