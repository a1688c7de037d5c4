import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { createManualClock } from '../fakes/manual-clock.ts';
import type { createSeededRandom } from '../fakes/seeded-random.ts';
import type { startTestNode, TestNode, TestNodeOptions } from '../kit/start-test-node.ts';
import type { placeTestStore } from '../kit/test-store.ts';
import type { exportLines, importAll } from '../plugins/transfer/transfer-node.ts';
import { askAll, questionsAbout } from './old-answers.ts';
import { type StartNode, tellPatchyStory, tellPlainStory } from './old-store-story.ts';

/*
 * Writes a recording anew: what a store of the version with several rows a fact holds after a story, and what its node
 * answered. Takes the folder of a built checkout of that version (commit 0a0205d), the story and the file:
 *
 *   node dist/test/upgrade/record-old-store.js ../old plain test/upgrade/plain-store.json
 */

const [build = '', story = '', target = ''] = process.argv.slice(2);

const load = (path: string) => import(resolve(build, 'dist/test', path));
const kit: { startTestNode: typeof startTestNode } = await load('kit/start-test-node.js');
const stores: { placeTestStore: typeof placeTestStore } = await load('kit/test-store.js');
const fakes: { createSeededRandom: typeof createSeededRandom } = await load('fakes/seeded-random.js');
const clocks: { createManualClock: typeof createManualClock } = await load('fakes/manual-clock.js');
const transfer: { exportLines: typeof exportLines; importAll: typeof importAll } = await load(
  'plugins/transfer/transfer-node.js',
);

const folder = await mkdtemp(join(tmpdir(), 'old-store-'));
const random = fakes.createSeededRandom();
const clock = clocks.createManualClock();
const start: StartNode = (plugin) => {
  const settings = (plugin === undefined ? {} : { [plugin]: false }) as unknown as NonNullable<
    TestNodeOptions['settings']
  >;
  return kit.startTestNode({ folder, random, clock, settings });
};

/** Facts of another node. */
const importFacts = async (node: TestNode): Promise<void> => {
  const other = await kit.startTestNode({ random, clock });
  const key = await other.addKey({ entityUri: 'agent:far' });
  for (const v of ['north', 'south']) {
    const body = { entity: 'user:far', relation: 'memory:place', source: 'agent:far', value: { type: 'string', v } };
    await other.request('POST', '/v1/facts', { key, body });
  }
  await transfer.importAll(node, await transfer.exportLines(other));
  await other.stop();
};

const keys = story === 'plain' ? await tellPlainStory(start) : await tellPatchyStory(start, importFacts);

const { open } = await stores.placeTestStore('sqlite', folder);
const store = open();
const tables: Record<string, unknown[]> = {};
for (const table of await store.tables()) {
  if (table === 'schema_migrations' || table === 'leases') continue;
  const rows = await store.read((snapshot) => snapshot.table(table));
  if (rows.length > 0) tables[table] = rows;
}
await store.close();
const files: Record<string, string> = {};
for (const name of await readdir(folder)) {
  if (!name.startsWith('node.db')) files[name] = await readFile(join(folder, name), 'utf8');
}

const node = await start();
const facts = (tables['facts'] ?? []) as { id: string; cid: string; entity: string; feed_wall: number }[];
const entities = [...new Set(facts.map(({ entity }) => entity))].filter((entity) => !entity.startsWith('svc:conflict'));
const stamps = facts.map(({ feed_wall }) => feed_wall).sort((a, b) => a - b);
const instants = [5, -9].map((at) => new Date(stamps.at(at) ?? 0).toISOString());
const answers = await askAll(node, keys, questionsAbout({ facts, entities, instants }));
const nowMs = clock.nowMs();
await node.stop();

const spelled = (_name: string, value: unknown) =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
const list = (items: readonly unknown[]) => items.map((item) => `  ${JSON.stringify(item, spelled)}`).join(',\n');
const written = Object.entries(tables).map(([name, rows]) => `"${name}": [\n${list(rows)}\n]`);
await writeFile(
  target,
  `{"nowMs": ${nowMs},\n"keys": ${JSON.stringify(keys)},\n"files": ${JSON.stringify(files)},\n` +
    `"tables": {\n${written.join(',\n')}\n},\n"answers": [\n${list(answers)}\n]}\n`,
);
await rm(folder, { recursive: true, force: true });
