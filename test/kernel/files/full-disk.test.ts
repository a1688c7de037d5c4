import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { refusalOnFullDisk } from '../../kit/run-on-full-disk.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const MODULE = new URL('../../../kernel/internal-api.js', import.meta.url).href;
const SECRET = 'a'.repeat(64);
const RANDOM = '{ uuid: () => crypto.randomUUID() }';

describe('a file beside the store on a full disk', () => {
  it('is a journal that says so, and not that something else lies in its place', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'erasures.jsonl');
      const { message, hint } = refusalOnFullDisk(MODULE, `module.appendLines(${JSON.stringify(file)}, ['one'])`);
      expect(message).to.match(/^the file erasures\.jsonl beside the store cannot be used \(E[A-Z]+\)$/);
      expect(hint).to.equal('free space on its disk');
    }));

  for (const [write, kept] of [
    ['writeSecretFile', undefined],
    ['replaceSecretFile', `${SECRET}\n`],
  ] as const) {
    it(`is a secret that ${write} leaves as it was, with the reason and without a draft`, () =>
      inTemporaryFolder(async (folder) => {
        const file = join(folder, 'node.key');
        if (kept !== undefined) writeFileSync(file, kept);
        const refused = refusalOnFullDisk(
          MODULE,
          `module.${write}(${JSON.stringify(file)}, 'b'.repeat(64), ${RANDOM})`,
        );
        expect(refused).to.deep.equal({
          message: 'the file node.key cannot be written, because its disk is full',
          hint: 'free space on the disk, and try again',
        });
        expect(readdirSync(folder)).to.deep.equal(kept === undefined ? [] : ['node.key']);
        if (kept !== undefined) expect(readFileSync(file, 'utf8')).to.equal(kept);
      }));
  }
});
