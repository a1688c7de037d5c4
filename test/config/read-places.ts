import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { administer } from '../kit/postgres-server.ts';
import type { BackupPlace } from '../plugins/backup/backup-place.ts';
import { CANARY, NUMBER } from './canaries.ts';

export interface Found {
  readonly at: string;
  readonly bytes: Buffer;
}

/** Returns whether bytes hold one of the texts, by default a canary, in any form that a store may give it. */
export const holds = (bytes: Buffer, texts: readonly string[] = [CANARY, String(NUMBER)]): boolean =>
  [...texts, ...texts.map((text) => text.toLowerCase())].some(
    (text) =>
      bytes.includes(text) ||
      bytes.includes(Buffer.from(text).toString('hex')) ||
      bytes.includes(Buffer.from(text, 'utf16le')),
  );

/** Reads every file of a place, its temporary folder among them, and every column of every table as text. */
export const readAll = async ({ work, env }: BackupPlace): Promise<readonly Found[]> => {
  const found = readdirSync(work.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry): readonly Found[] => {
      const path = join(entry.parentPath, entry.name);
      const at = relative(work.folder, path).replace(/[0-9a-f-]{36}/, '*');
      try {
        return [{ at, bytes: readFileSync(path) }];
      } catch (error) {
        // The node removes files meanwhile, such as drafts of a snapshot.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });
  const { SVC_DATABASE_URL: url } = env;
  if (url === undefined) return found;
  for (const { tablename } of await administer(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")) {
    const rows = await administer(url, `SELECT t::text AS row FROM "${tablename}" t`);
    found.push({ at: `table ${tablename}`, bytes: Buffer.from(rows.map(({ row }) => String(row)).join('\n')) });
  }
  return found;
};
