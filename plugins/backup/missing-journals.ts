import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSettings } from '../../kernel/plugin-api.ts';

/** The files that keep a restore from taking something back. Each has its loss, and the command that shows it. */
const JOURNALS: readonly (readonly [file: string, comesBack: string, lookAt: string])[] = [
  ['erasures.jsonl', 'facts that were erased', 'tombstone list'],
  ['tombstones.jsonl', 'facts that were hidden', 'tombstone list'],
  ['revoked-keys', 'revoked keys', 'key list'],
  ['revoked-tokens', 'revoked capability tokens', 'token list'],
  ['revoked-peerings', 'revoked peerings', 'peer list'],
  ['spent-tokens', 'used tokens of remote clients', 'grant list'],
  ['suspended-tenants', 'suspended tenants', 'tenant list'],
  [join('multi-tenant', 'erased-tenants.jsonl'), 'erased tenants', 'tenant list'],
  ['cancelled-subscriptions', 'deleted subscriptions', ''],
];

/**
 * Returns the warning after a restore into a data folder without files that another one may have had; undefined where
 * all are there. A file comes with its first entry, so the node cannot know which ones there were.
 */
export const missingJournalsWarning = ({ dataFolder }: Pick<NodeSettings, 'dataFolder'>): string | undefined => {
  const missing = JOURNALS.filter(([file]) => !existsSync(join(dataFolder, file)));
  if (missing.length === 0) return undefined;
  const lines = missing.map(([file, comesBack, lookAt]) => `  ${`${file}: `.padEnd(39)}${comesBack}${look(lookAt)}\n`);
  return `These files are missing in ${dataFolder}. By them the next start withdraws again what was withdrawn after the
backup. If the lost data folder had them, copy them there first. Otherwise check what comes back:
${lines.join('')}`;
};

const look = (command: string): string =>
  command === '' ? ', which their owners delete again' : ` ("fact-memory-node ${command}")`;
