import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WithdrawalJournal } from '../../kernel/internal-api.ts';
import type { JournalFolder } from './erasure-journals.ts';

/**
 * Returns the warning after a restore into a data folder that lacks journals; undefined where all are there. A journal
 * is created with its first entry, so the node cannot know whether the lost data folder had one.
 */
export const missingJournalsWarning = async ({ dataFolder, journals }: JournalFolder): Promise<string | undefined> => {
  const missing = (await journals()).filter(({ file }) => !existsSync(join(dataFolder, file)));
  if (missing.length === 0) return undefined;
  return `These files are missing in ${dataFolder}. By them the next start withdraws again what was withdrawn after the
backup. If the lost data folder had them, copy them there first. Otherwise check what comes back:
${missing.map(lineOf).join('')}`;
};

const lineOf = ({ file, withdrawn, listCommand }: WithdrawalJournal): string => {
  const check =
    listCommand === undefined ? ', which their owners delete again' : ` ("fact-memory-node ${listCommand}")`;
  return `  ${`${file}: `.padEnd(39)}${withdrawn}${check}\n`;
};
