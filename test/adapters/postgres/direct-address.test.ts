import { expect } from 'chai';
import { postgresAdapter } from '../../../adapters/postgres/postgres-adapter.ts';
import type { PostgresSettings } from '../../../adapters/postgres/postgres-settings.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';

describe('the direct address of a PostgreSQL server behind a pooler (SVC_DATABASE_DIRECT_URL)', () => {
  let one: TemporaryDatabase;
  let other: TemporaryDatabase;
  before(async () => {
    [one, other] = [await createTemporaryDatabase(), await createTemporaryDatabase()];
  });
  after(() => Promise.all([one?.stop(), other?.stop()]));

  const settingsWith = (directUrl: string): PostgresSettings =>
    ({ url: one.url, directUrl, poolSize: 4 }) as Partial<PostgresSettings> as PostgresSettings;
  const parts = { processes: 1 } as Parameters<typeof postgresAdapter.create>[1];

  it('is refused for another database, before a restore, an inspection or a start touches it', async () => {
    const settings = settingsWith(other.url);
    const message = 'SVC_DATABASE_DIRECT_URL leads to another database than SVC_DATABASE_URL';
    const request = {} as Parameters<NonNullable<typeof postgresAdapter.restore>>[1];
    for (const start of [
      async () => postgresAdapter.create(settings, parts),
      async () => postgresAdapter.requireUnused?.(settings),
      async () => postgresAdapter.restore?.(settings, request),
    ]) {
      expect(await rejection(start())).to.include({ code: 'conflict', message });
    }
    const [problem] = (await postgresAdapter.inspect?.(settings, parts)) ?? [];
    expect(problem?.message).to.equal(message);
  });

  it('is named in the error when it leads to no database, with a hint about this setting', async () => {
    const missing = new URL(one.url);
    missing.pathname = '/missing';
    for (const [url, message] of [
      ['postgres://127.0.0.1:1/facts', 'SVC_DATABASE_DIRECT_URL: nothing listens where the database should be'],
      [missing.href, 'SVC_DATABASE_DIRECT_URL: the database does not exist'],
      ['postgres://127.0.0.1:x/facts', 'SVC_DATABASE_DIRECT_URL: the address of the database is not a postgres:// URL'],
    ] as const) {
      const error = await rejection((async () => postgresAdapter.create(settingsWith(url), parts))());
      expect(error).to.include({ code: 'unavailable', message });
      expect((error as { hint?: string }).hint).not.to.include('SVC_DATABASE_URL');
      const [problem] = (await postgresAdapter.inspect?.(settingsWith(url), parts)) ?? [];
      expect(problem?.message).to.equal(message);
    }
  });

  it('is accepted when it leads to the same database in another spelling', async () => {
    const settings = settingsWith(`${one.url}${one.url.includes('?') ? '&' : '?'}application_name=sessions`);
    const store = await postgresAdapter.create(settings, parts);
    expect(await postgresAdapter.inspect?.(settings, parts)).to.deep.equal([]);
    await (store as { close(): Promise<void> }).close();
  });
});
