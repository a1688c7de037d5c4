import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { Workplace } from '../../adapters/cli/spawned-program.ts';
import { freePort } from '../../kit/free-port.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { blocksOf, commandsOf, PageMachine } from './page-machine.ts';

const LIMIT_MS = 300_000;
const SHOWN_BACKUP = 'backup-20261123T021500123Z-1a2b3c4d';

describe('the guide for disasters, followed from the page alone', function () {
  this.timeout(LIMIT_MS);
  let places: Workplace;
  let machine: PageMachine;
  const machines: PageMachine[] = [];
  const newMachine = async (): Promise<PageMachine> => {
    const made = await PageMachine.here(await freePort(), places.folder);
    machines.push(made);
    return made;
  };
  beforeEach(async () => {
    places = new Workplace();
    mkdirSync(places.path('safe'));
    machine = await newMachine();
    await machine.type('systemctl start fact-memory-node');
    await machine.assert('user:alice', 'first words');
  });
  afterEach(async () => {
    for (const one of machines.splice(0)) await one.dispose();
    await places.dispose();
  });

  const keep = async (): Promise<void> => {
    await machine.type('SVC_BACKUP_TARGET=/mnt/nas/node-one fact-memory-node backup');
    await machine.type(commandsOf('Kept apart from the machine'));
    copyFileSync(machine.work.path('data/admin.key'), places.path('safe/admin.key'));
  };
  const eraseAlice = async (): Promise<void> => {
    await machine.type('fact-memory-node tombstone add user:alice --reason wrong');
    const [id = ''] = /tomb_[0-9a-f-]+/.exec(await machine.type('fact-memory-node tombstone list')) ?? [];
    await machine.type(`fact-memory-node tombstone erase ${id} --yes`);
  };

  it('brings a node back when the disk is gone, and takes no erasure, tombstone or revocation back', async () => {
    for (const entity of ['user:bob', 'user:carol']) await machine.assert(entity, 'stays');
    const added = await machine.type(
      'fact-memory-node key add --entity user:leaver --permissions read --out leaver.key',
    );
    await keep();
    await eraseAlice();
    await machine.type('fact-memory-node tombstone add user:carol --reason wrong');
    await machine.type(`fact-memory-node key revoke ${/[0-9a-f]{8}-[0-9a-f-]{27}/.exec(added)?.[0]}`);
    await machine.type(commandsOf('Kept apart from the machine'));
    const next = await newMachine();
    expect(await next.type(commandsOf('The disk is gone'))).to.include('  revoked-keys: ');
    copyFileSync(machine.work.path('leaver.key'), next.work.path('leaver.key'));
    expect(await next.facts('user:bob', 'leaver.key')).to.deep.equal(['status 401']);
    copyFileSync(places.path('safe/admin.key'), next.work.path('data/admin.key'));
    expect(await next.facts('user:bob')).to.deep.equal(['stays']);
    for (const entity of ['user:alice', 'user:carol']) expect(await next.facts(entity)).to.deep.equal([]);
  });

  it('brings a damaged database back, with the facts since the backup', async () => {
    await machine.type('fact-memory-node backup');
    await machine.assert('user:bob', 'later words');
    await machine.type('systemctl stop fact-memory-node');
    const database = new DatabaseSync(machine.work.path('data/svc.db'));
    database.exec('DROP TRIGGER facts_refuse_update');
    database.exec(`UPDATE facts SET value_v = '"damaged"' WHERE entity = 'user:alice' OR entity_key = 'user:alice'`);
    database.close();
    await machine.type('systemctl start fact-memory-node');
    await machine.type(commandsOf('The database is damaged'), { [SHOWN_BACKUP]: machine.backup });
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
    expect(await machine.facts('user:bob')).to.deep.equal(['later words']);
    expect(readdirSync(machine.work.path('data')).some((name) => name.startsWith('svc.db.before_'))).to.equal(true);
  });

  it('undoes an import by its source, and keeps the facts of others', async () => {
    for (const entity of ['user:alice', 'user:bob']) await machine.assert(entity, 'wrong words', 'import:wrong');
    await machine.type(commandsOf('A wrong import'));
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
    const said = await machine.facts('user:bob');
    expect(said.filter((value) => value !== 'wrong words')).to.deep.equal([]);
    const { length } = readdirSync(machine.work.path('data/backups'));
    expect(length).to.equal(1);
  });

  it('brings back the words that were erased by mistake, about another name', async () => {
    await machine.type('fact-memory-node backup');
    await eraseAlice();
    expect(await machine.facts('user:alice')).to.deep.equal([]);
    await machine.type(commandsOf('A wrong erase'), { [SHOWN_BACKUP]: machine.backup });
    expect(await machine.facts('user:alice')).to.deep.equal([]);
    expect(await machine.facts('user:alice-2')).to.deep.equal(['first words']);
    expect(existsSync(machine.work.path('beside'))).to.equal(false);
  });

  it('goes back to a point in time before a wrong change, by increments', async () => {
    const [switchOn = '', goBack = ''] = blocksOf('To any point in time, with SQLite');
    await machine.type(switchOn, { '_SECONDS=5': '_SECONDS=1', '/etc/fact-memory-node/environment': 'environment' });
    const reached = async (): Promise<void> => {
      const nowMs = Date.now();
      const chains = `${places.folder}/nas/node-one`;
      await waitUntil('the increments reach this time', LIMIT_MS, () =>
        (existsSync(chains) ? readdirSync(chains) : [])
          .flatMap((chain) => readdirSync(join(chains, chain)))
          .some((name) => Number(name.split('-')[1]) > nowMs),
      );
    };
    await machine.assert('user:bob', 'right');
    await reached();
    const pointInTime = new Date().toISOString();
    await machine.assert('user:bob', 'wrong');
    await reached();
    const said = await machine.type(goBack, { '2026-11-26T12:00:00Z': pointInTime });
    expect(said).to.include('any point in time from').and.include('Kept aside');
    expect(await machine.facts('user:bob')).to.deep.equal(['right']);
    expect(await machine.facts('user:alice')).to.deep.equal(['first words']);
  });

  for (const isKept of [true, false]) {
    it(`starts a node whose keys were lost, ${isKept ? 'from the copy' : 'with another key where there is no copy'}`, async () => {
      await keep();
      const former = readFileSync(machine.work.path('data/node.key'), 'utf8');
      await machine.type('systemctl stop fact-memory-node');
      for (const name of ['node.key', 'admin.key']) rmSync(machine.work.path(`data/${name}`));
      if (!isKept) rmSync(places.path('safe/data/node.key'));
      await machine.type(commandsOf('A key is lost'));
      expect(await machine.facts('user:alice', 'admin-new.key')).to.deep.equal(['first words']);
      expect(readFileSync(machine.work.path('data/node.key'), 'utf8') === former).to.equal(isKept);
    });
  }

  it('replaces every key after a theft', async () => {
    await keep();
    const next = await newMachine();
    await next.type(commandsOf('The machine is stolen'));
    copyFileSync(places.path('safe/admin.key'), next.work.path('stolen.key'));
    expect(await next.facts('user:alice', 'stolen.key')).to.deep.equal(['status 401']);
    expect(await next.facts('user:alice', 'admin-new.key')).to.deep.equal(['first words']);
    const [now, before] = [next.work.path('data/node.key'), places.path('safe/data/node.key')];
    expect(readFileSync(now, 'utf8')).to.not.equal(readFileSync(before, 'utf8'));
  });
});
