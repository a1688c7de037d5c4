import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { BackupPlace } from '../plugins/backup/backup-place.ts';
import { holdKeys } from '../plugins/backup/sealed-place.ts';
import { ask, CANARY, MAPPED, Planting } from './canaries.ts';
import { holds, readAll } from './read-places.ts';

const LIMIT_MS = 300_000;
const NODE = fewPlugins(
  'audit',
  'backup',
  'capability-tokens',
  'cards',
  'conflicts',
  'gardens',
  'graph',
  'importers',
  'instructions',
  'jobs',
  'keys',
  'lint',
  'mcp',
  'metrics',
  'multi-tenant',
  'oauth',
  'recall',
  'search',
  'subscriptions',
  'synthesis',
  'tombstones',
  'transfer',
  'upkeep',
);
const SWITCHES = {
  SVC_TOMBSTONES_ENABLED: 'true',
  SVC_OAUTH_ENABLED: 'true',
  SVC_OAUTH_INSECURE: 'true',
  SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
  SVC_LOG_LEVEL: 'debug',
  // Every lint and synthesis is a job, whose result is kept.
  SVC_ASYNC_JOB_THRESHOLD: '1',
};
/**
 * Words that no store holds in the clear. The key of the node seals webhooks in every store. Intents, and sessions of
 * readers without conflicts, are not kept.
 */
const NEVER_KEPT = [
  'the address of a webhook',
  'the secret of a webhook',
  'an intent',
  'the name of a session that reads',
];

forEachStore('what people say to a sealed node', (kind) => {
  let place: BackupPlace;
  let input: string;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, NODE);
    mkdirSync(place.work.path('tmp'));
    // The file of a person, which is not one of the node.
    input = mkdtempSync(join(tmpdir(), 'canaries-'));
  });
  afterEach(async () => {
    await place.dispose();
    rmSync(input, { recursive: true, force: true });
  });

  const switched = (): Record<string, string> => ({ ...SWITCHES, TMPDIR: place.work.path('tmp') });
  const sealing = (): Record<string, string> => ({ ...switched(), ...holdKeys(place, randomBytes(32)) });
  const swept = new Set<string>();
  /** Returns the places that hold a canary, and adds all places that it has looked at to `swept`. */
  const sweep = async (): Promise<readonly string[]> => {
    const found = await readAll(place);
    for (const { at } of found) swept.add(at);
    return found.filter(({ bytes }) => holds(bytes)).map(({ at }) => at);
  };
  /** Kills an import of many rows as soon as it remembers how far it came. */
  const importHalf = async (url: string, env: Record<string, string>): Promise<void> => {
    const path = join(input, 'people.csv');
    const rows = Array.from({ length: 2_000 }, (_, at) => `${at},${CANARY} was imported ${at}`);
    writeFileSync(path, ['id,role', ...rows].join('\n'));
    const argv = ['import-from', 'csv', path, '--batch', '1', '--map', MAPPED.join(',')];
    const folder = place.work.path('data/imports');
    const given = { ...env, SVC_URL: url, SVC_API_KEY: place.env['SVC_BOOTSTRAP_KEY'] ?? '' };
    await place.kill(argv, () => existsSync(folder) && readdirSync(folder).length > 0, 'SIGKILL', given);
    expect(existsSync(folder)).to.equal(true);
  };
  const exportAll = async (env: Record<string, string>): Promise<readonly string[]> => {
    const commands = [['export'], ['audit', 'export'], ['subject', 'export', 'project:atlas']];
    for (const [at, command] of commands.entries()) {
      const written = await place.run([...command, '--out', place.work.path(`export-${at}`)], env);
      expect(written.exitCode, written.stderr).to.equal(0);
    }
    return commands.map((_, at) => `export-${at}`);
  };

  it('is found by the same sweep in a clear store, by each route that takes it', async () => {
    const node = await place.start(switched());
    const planted = await new Planting(node, 'clear').all();
    await node.end();
    const exports = await exportAll(switched());
    const found = await readAll(place);
    const missing = [...planted].filter(([, words]) => !found.some(({ bytes }) => holds(bytes, words)));
    expect(missing.map(([route]) => route)).to.deep.equal(NEVER_KEPT);
    expect(planted.size).to.be.above(30);
    const open = found.filter(({ at, bytes }) => exports.includes(at) && holds(bytes)).map(({ at }) => at);
    expect(open).to.include.members(['export-0', 'export-2']);
  }).timeout(LIMIT_MS);

  it('is in no file and no table in the clear, while the node runs, after a kill and after a restart', async () => {
    const env = sealing();
    const first = await place.startApart(env);
    await new Planting(first, 'one').all();
    expect(await sweep(), 'while the node runs').to.deep.equal([]);
    const load = new Planting(first, 'two').all().catch(() => undefined);
    expect(await sweep(), 'under load').to.deep.equal([]);
    await importHalf(first.url, env);
    expect(await sweep(), 'after half an import').to.deep.equal([]);
    const killed = await first.end('SIGKILL');
    await load;
    expect(await sweep(), 'after a kill').to.deep.equal([]);
    const second = await place.startApart({ ...env, SVC_WORKERS: '2' });
    const { facts } = await ask(second, 'GET', '/v1/facts?entity=project:atlas');
    expect(JSON.stringify(facts)).to.include(CANARY);
    await new Planting(second, 'three').all();
    expect(await sweep(), 'after a restart').to.deep.equal([]);
    const ended = await second.end();
    expect(await sweep(), 'after the end').to.deep.equal([]);
    for (const { stdout, stderr } of [killed, ended]) {
      expect(holds(Buffer.from(stdout + stderr)), 'in the log').to.equal(false);
    }
    await exportAll(env);
    expect((await place.run(['backup'], env)).exitCode).to.equal(0);
    expect(await sweep(), 'after exports and a backup').to.deep.equal([]);
    const own =
      kind === 'sqlite'
        ? ['data/svc.db']
        : [
            'table facts',
            'table jobs_queue',
            'table subscriptions_records',
            'table oauth_clients',
            'table audit_entries',
          ];
    const files = ['data/content-keys.json', 'data/erasures.jsonl', 'data/tombstones.jsonl', 'export-0'];
    expect([...swept]).to.include.members([...own, ...files]);
  }).timeout(LIMIT_MS);

  it('is in no table after a clear store was sealed, and is still found', async () => {
    const clear = await place.start(switched());
    await new Planting(clear, 'clear').all();
    await clear.end();
    // A conversion rewrites the store alone.
    rmSync(place.work.path('data/erasures.jsonl'));
    const env = sealing();
    const sealed = await place.run(['encryption', 'on'], env);
    expect(sealed.exitCode, sealed.stderr).to.equal(0);
    const node = await place.start(env);
    await new Planting(node, 'sealed').all();
    const near = await ask(node, 'GET', '/v1/graph/neighbors?entity=project:atlas');
    expect(near.neighbors).to.have.length.above(0);
    expect(await sweep()).to.deep.equal([]);
    await node.end();
  }).timeout(LIMIT_MS);
});
