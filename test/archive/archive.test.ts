import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Workplace } from '../adapters/cli/spawned-program.ts';
import { freePort } from '../kit/free-port.ts';
import { scratchPlace } from '../kit/scratch-place.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { blocksOf, PageMachine } from '../plugins/backup/page-machine.ts';
import { ArchivedPostgres, requireArchiveTool } from './archived-postgres.ts';
import { AssertingClients } from './asserting-clients.ts';

const LIMIT_MS = 900_000;
const SECTION = 'To any point in time, with PostgreSQL';
const SHOWN_TIME = '2026-11-26 12:00:00+00';
const TO_A_POINT = /--type=time --target="[^"]*" \\\n {2}--target-action=promote /;
const VERIFY = 'fact-memory-node verify';
const FIRST_WORDS = 'the first words about somebody';
const ARCHIVED_EVERY_MS = 5_000;
const CLIENTS = 4;
const ENOUGH = 200;

/** Returns whether a file below the folder holds a text. The tool compresses its files. */
const archiveHolds = (folder: string, text: string): boolean =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => {
    if (!entry.isFile()) return false;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    return (entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(text);
  });

const isLeftOut = (): boolean => {
  const isLong = process.env['SVC_TEST_LONG'] === '1';
  if (!isLong) console.log('      left out: it belongs to the long run, and to "npm run test:archive"');
  return !isLong;
};

for (const contents of ['clear', 'sealed'] as const) {
  describe(`a ${contents} node on PostgreSQL whose log pgBackRest archives, by the commands of the page`, () => {
    let places: Workplace;
    let server: ArchivedPostgres;
    let machine: PageMachine;

    const begin = async (): Promise<AssertingClients> => {
      requireArchiveTool();
      places = new Workplace();
      mkdirSync(places.path('safe'));
      server = await ArchivedPostgres.below(mkdtempSync(join(await scratchPlace(), 'archive-')));
      const seal = { SVC_ENCRYPTION_KEY_FILE: places.path('safe/operator.key') };
      writeFileSync(places.path('safe/operator.key'), randomBytes(32).toString('hex'), { mode: 0o600 });
      const env = { ...server.env, SVC_DATABASE_URL: server.url, ...(contents === 'sealed' && seal) };
      machine = new PageMachine(await freePort(), places.folder, env);
      // The account of the server enters the folders that the commands name.
      for (const open of [places.folder, machine.work.folder]) chmodSync(open, 0o755);
      await server.create(machine);
      const [switchOn = ''] = blocksOf(SECTION);
      await machine.type(`set -e\n${switchOn}`, server.names);
      await machine.type('systemctl start fact-memory-node');
      return new AssertingClients(machine, CLIENTS);
    };
    afterEach(async () => {
      await machine?.dispose();
      await server?.remove();
      await places?.dispose();
    });

    const erase = async (entity: string): Promise<void> => {
      await machine.type(`fact-memory-node tombstone add ${entity} --reason asked`);
      const listed = await machine.type('fact-memory-node tombstone list');
      const [id = ''] = /tomb_[0-9a-f-]+/.exec(listed) ?? [];
      await machine.type(`fact-memory-node tombstone erase ${id} --yes`);
    };
    const epoch = async (): Promise<unknown> => (await server.ask('SELECT epoch FROM node_clock'))[0]?.['epoch'];
    const goBack = async (edit: (commands: string) => string): Promise<string> =>
      machine.type(`set -e\n${edit(blocksOf(SECTION)[1] ?? '')}`, server.names);

    it('goes back to a point in time before a wrong import: every fact acknowledged before is there, and none since', async function () {
      this.timeout(LIMIT_MS);
      if (isLeftOut()) return;
      const clients = await begin();
      await machine.assert('user:gone', FIRST_WORDS);
      const key = 'fact-memory-node key add --entity agent:leaver --permissions read --scopes company --out leaver.key';
      await machine.type(key);
      await waitUntil('facts are acknowledged', LIMIT_MS, () => clients.acknowledged.length >= ENOUGH);
      const pointMs = Date.now() + 1;
      // Requests that begin later than the millisecond of that point are after it.
      await pause(2);
      const former = await epoch();
      await waitUntil('facts follow', LIMIT_MS, () => clients.begunAfter(pointMs).length >= ENOUGH);
      for (const entity of ['user:alice', 'user:bob']) await machine.assert(entity, 'wrong words', 'import:wrong');
      await erase('user:gone');
      const leaver = /^(\S+) .*agent:leaver/m.exec(await machine.type('fact-memory-node key list'))?.[1] ?? '';
      await machine.type(`fact-memory-node key revoke ${leaver}`);
      await clients.stop();
      const shown = new Date(pointMs).toISOString().replace('T', ' ').replace('Z', '+00');
      await server.archived();
      expect(archiveHolds(places.path('nas/pgbackrest'), FIRST_WORDS)).to.equal(contents === 'clear');
      const said = await goBack((commands) => commands.replace(SHOWN_TIME, shown));
      expect(said).to.match(/^Epoch +a new one$/m);
      const there = await clients.idsThere();
      const [before, after] = [clients.acknowledgedBefore(pointMs), clients.begunAfter(pointMs)];
      expect(before.filter(({ id }) => !there.has(id))).to.deep.equal([]);
      expect(after.filter(({ id }) => there.has(id))).to.deep.equal([]);
      expect(await machine.facts('user:alice')).to.deep.equal([]);
      expect(await machine.facts('user:gone')).to.deep.equal([]);
      expect(await machine.facts('user:gone', 'leaver.key'), 'a revoked key').to.deep.equal(['status 401']);
      expect(await epoch()).to.not.equal(former);
      const lastWallMs = Math.max(...clients.acknowledged.map(({ wallMs }) => wallMs));
      const { hlc } = await clients.assert('user:later');
      expect(Number(hlc.split('.')[0])).to.be.greaterThan(lastWallMs);
      // Fails with any finding.
      expect(await machine.type(VERIFY)).to.match(/^facts +holds/m);
      console.log(`      ${before.length} facts before that point are there, ${after.length} after it are gone`);
    });

    it('loses nothing that is in the archive, when server and disk are gone at once', async function () {
      this.timeout(LIMIT_MS);
      if (isLeftOut()) return;
      const clients = await begin();
      await waitUntil('facts are acknowledged', LIMIT_MS, () => clients.acknowledged.length >= ENOUGH);
      const sure = [...clients.acknowledged];
      await server.archived();
      // A random time between two files of the log, so that the printed loss is one of a real crash.
      await pause(Math.random() * ARCHIVED_EVERY_MS);
      server.lose();
      const killedMs = Date.now();
      await clients.stop();
      const said = await goBack((commands) => commands.replace(TO_A_POINT, ''));
      expect(said).to.match(/^Epoch +a new one$/m);
      const there = await clients.idsThere();
      expect(sure.filter(({ id }) => !there.has(id))).to.deep.equal([]);
      const lost = clients.acknowledged.filter(({ id }) => !there.has(id));
      const lostMs = killedMs - Math.min(killedMs, ...lost.map(({ ackedMs }) => ackedMs));
      console.log(`      ${there.size} facts are there; lost: ${lost.length}, of the last ${lostMs} ms`);
    });
  });
}
