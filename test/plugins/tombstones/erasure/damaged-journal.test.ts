import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Logger } from '../../../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../../../../plugins/node-info/node-info-api.ts';
import {
  appendSigned,
  type ErasureRecord,
  readErasures,
} from '../../../../plugins/tombstones/erasure/erasure-journal.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';

describe('the journal of erasures', () => {
  it('makes one warning of the lines that the node did not sign, with their numbers', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'erasures.jsonl');
      const unsigned = JSON.stringify({ receipt: { signature: 'AA' }, tombstone: { id: 'tomb_1' } });
      await writeFile(file, `\n${unsigned}\nno json\n\n${unsigned}\nnull\n`);
      const warned: unknown[] = [];
      const log = { warn: (_message: string, fields: unknown) => warned.push(fields) } as unknown as Logger;
      const identity = { publicKeys: ['A'.repeat(43)] } as unknown as NodeIdentity;
      expect(await readErasures(file, identity, log), 'no line is signed').to.deep.equal([]);
      expect(warned).to.deep.equal([{ file, count: 4, lines: [2, 3, 5, 6] }]);
    }));

  it('takes no record that the node did not sign', () =>
    inTemporaryFolder(async (folder) => {
      const file = join(folder, 'erasures.jsonl');
      const unsigned = { receipt: { signature: 'AA' }, tombstone: { id: 'tomb_1' } } as unknown as ErasureRecord;
      const identity = { publicKeys: ['A'.repeat(43)] } as unknown as NodeIdentity;
      await appendSigned(file, [unsigned], identity);
      expect(existsSync(file) ? readFileSync(file, 'utf8') : '').to.equal('');
    }));
});
