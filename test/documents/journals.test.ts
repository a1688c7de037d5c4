import { expect } from 'chai';
import { declaredJournals } from '../kit/declared-journals.ts';
import { pageText } from './read-pages.ts';

const COPIED = /^for file in node\.key ([^;]+); do$/m;

const filesOfJournals = async (): Promise<string[]> => (await declaredJournals()).map(({ file }) => file);

describe('The files that prevent a restore from taking a withdrawal back', () => {
  it('are all copied by the commands of the recovery guide', async () => {
    const [, copied = ''] = COPIED.exec(pageText('docs/guides/recover.md')) ?? [];
    expect(copied.split(/[\s\\]+/)).to.have.members(await filesOfJournals());
  });

  it('are each explained by the backup guide', async () => {
    const [, explained = ''] = pageText('docs/guides/backup.md').split('## After a restore');
    for (const file of await filesOfJournals()) expect(explained).to.include(`\`${file}\``);
  });
});
