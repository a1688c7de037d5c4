import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operatorKeyId } from '../../../adapters/sealed/data-keys.ts';
import type { CommandResult } from '../../adapters/cli/run-in-process.ts';
import type { ServingNode } from '../../adapters/cli/spawned-program.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { Load } from './asserting-load.ts';
import { BACKED_UP, BackupPlace, bytesBelow, fact, request } from './backup-place.ts';
import { holdKeys } from './sealed-place.ts';
import { chainsIn, incrementsIn } from './sent-increments.ts';

const LIMIT_MS = 180_000;

describe('increments of an SQLite store', () => {
  let from: BackupPlace;
  let to: BackupPlace;
  let target: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    from = await BackupPlace.on('sqlite', BACKED_UP);
    to = await BackupPlace.on('sqlite', BACKED_UP);
    target = from.work.path('target');
    env = { SVC_BACKUP_TARGET: target, SVC_BACKUP_INCREMENT_SECONDS: '1', SVC_TOMBSTONES_ENABLED: 'true' };
  });
  afterEach(async () => {
    await from.dispose();
    await to.dispose();
  });

  const chains = (): string[] => chainsIn(target);
  const incrementsOf = (chain: string): string[] => incrementsIn(target, chain);
  const reachedMs = (): number => {
    const chain = chains().at(-1);
    const last = chain === undefined ? undefined : incrementsOf(chain).at(-1);
    return Number(last?.split('-')[1] ?? 0);
  };
  /** Resolves when everything that is acknowledged now is in the target. */
  const allSent = async (node: ServingNode): Promise<void> => {
    let nowMs = Date.now();
    await waitUntil('the increments reach this time', LIMIT_MS, () => reachedMs() > nowMs);
    // The look that ended after a commit may have begun before it, and the next look has it.
    nowMs = reachedMs();
    await note(node, 'user:tick');
    await waitUntil('an increment follows', LIMIT_MS, () => reachedMs() > nowMs);
  };
  const note = (node: ServingNode, entity: string): Promise<unknown> =>
    request(node, 'POST', '/v1/facts', fact(entity, 'something'));
  const restore = (at: string, variables: Record<string, string> = {}): Promise<CommandResult> =>
    to.run(['restore', '--from', target, '--at', at, '--replace'], variables);
  const factsAbout = async (node: ServingNode, entity: string): Promise<number> =>
    (await request(node, 'GET', `/v1/facts?entity=${entity}`)).body.facts.length;
  /** Makes a chain with several increments, and returns its folder. */
  const makeChain = async (variables: Record<string, string> = {}): Promise<string> => {
    const node = await from.start({ ...env, ...variables });
    for (const entity of ['user:a', 'user:b', 'user:c']) {
      await note(node, entity);
      await allSent(node);
    }
    await node.end();
    return join(target, chains()[0] ?? '');
  };

  const key = randomBytes(32);

  it('bring back any point in time into an empty folder, and the last one of all', async () => {
    const node = await from.start(env);
    await note(node, 'user:before');
    await allSent(node);
    const pointInTime = new Date().toISOString();
    await note(node, 'user:after');
    await allSent(node);
    await node.end();
    const verified = await to.run(['verify', '--from', target, '--at', 'latest']);
    expect(verified.exitCode, verified.stderr).to.equal(0);
    expect(verified.stdout).to.match(/^increments-\S+: \d+ increments, .* up to \S+Z\n$/);
    for (const [at, after] of [
      [pointInTime, 0],
      ['latest', 1],
    ] as const) {
      await to.dispose();
      to = await BackupPlace.on('sqlite', BACKED_UP);
      to.takeKeys(from);
      const restored = await restore(at);
      expect(restored.exitCode, restored.stderr).to.equal(0);
      expect(restored.stdout).to.match(/^As of +the last commit, \S+Z$/m);
      const whole = await to.run(['verify']);
      expect(whole.exitCode, whole.stdout).to.equal(0);
      const again = await to.start();
      expect([await factsAbout(again, 'user:before'), await factsAbout(again, 'user:after')]).to.deep.equal([1, after]);
      await again.end();
    }
    expect(readdirSync(to.backups)).to.deep.equal([]);
  }).timeout(LIMIT_MS);

  it('refuse a point in time before them, after them, and one that is none', async () => {
    await makeChain();
    for (const [at, message] of [
      ['2020-01-01T00:00:00Z', 'begin after this point in time'],
      ['2999-01-01T00:00:00Z', 'the increments of that time end at'],
      ['noon', '--at is no point in time'],
    ] as const) {
      const refused = await restore(at);
      expect(refused.exitCode, at).to.equal(1);
      expect(refused.stderr).to.include(message);
      if (at !== 'noon') expect(refused.stderr).to.match(/"fact-memory-node backup list --from …" shows/);
    }
    expect(existsSync(to.work.path('data/svc.db'))).to.equal(false);
  }).timeout(LIMIT_MS);

  it('are refused when one is damaged, missing, cut, exchanged, planted or of another chain', async () => {
    const chain = await makeChain();
    const kept = from.work.path('kept');
    cpSync(chain, kept, { recursive: true });
    const [, one = '', two = ''] = incrementsOf(chains()[0] ?? '');
    const at = (name: string): string => join(chain, name);
    const faults: Readonly<Record<string, () => void>> = {
      damaged: () => {
        const bytes = readFileSync(at(one));
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(at(one), bytes);
      },
      missing: () => rmSync(at(one)),
      'without its base': () => rmSync(at(readdirSync(chain).sort()[0] ?? '')),
      cut: () => writeFileSync(at(one), readFileSync(at(one)).subarray(0, -40)),
      exchanged: () => {
        renameSync(at(one), at('held'));
        renameSync(at(two), at(one));
        renameSync(at('held'), at(two));
      },
      planted: () => writeFileSync(at(`${one.slice(0, 10)}-1`), readFileSync(at(two))),
    };
    for (const [name, fault] of Object.entries(faults)) {
      fault();
      for (const refused of [await restore('latest'), await to.run(['verify', '--from', target, '--at', 'latest'])]) {
        expect(refused.exitCode, name).to.equal(1);
        expect(refused.stderr, name).to.match(/the increment \S+ (is damaged|does not follow)/);
      }
      rmSync(chain, { recursive: true });
      cpSync(kept, chain, { recursive: true });
    }
    const other = join(target, 'increments-20260101T000000000Z-1a2b3c4d');
    renameSync(chain, other);
    expect((await restore('latest')).stderr).to.include('does not follow the one before it');
    expect(existsSync(to.work.path('data/svc.db'))).to.equal(false);
  }).timeout(LIMIT_MS);

  it('hold every fact that is older than the last one sent, when the node is killed at a random time under load', async () => {
    const node = await from.startApart({ ...env, SVC_BACKUP_INCREMENT_SECONDS: '2' });
    const load = new Load(node, 'k');
    const count = 20 + Math.floor(Math.random() * 200);
    const sent = (): string[] => chains().slice(-1).flatMap(incrementsOf);
    await waitUntil('increments are sent under load', LIMIT_MS, () => load.acknowledged.length > count && !!sent()[2]);
    await node.end('SIGKILL');
    await load.stop();
    // The last increment was read after the time that the one before it names.
    const [, sentMs] = sent().at(-2)?.split('-') ?? [];
    const sure = load.acknowledged.filter((_, at) => (load.acknowledgedMs[at] ?? 0) < Number(sentMs));
    to.takeKeys(from);
    const restored = await restore('latest');
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const ids = new Set((await to.rows()).get('facts')?.map((row) => JSON.parse(row).id));
    expect(sure).to.not.have.length(0);
    expect(sure.filter((id) => !ids.has(id))).to.deep.equal([]);
    const whole = await to.run(['verify']);
    expect(whole.exitCode, whole.stdout).to.equal(0);
  }).timeout(LIMIT_MS);

  it('are sealed where a key seals backups, and a made-up chain in the clear is refused', async () => {
    const chain = await makeChain(holdKeys(from, key));
    for (const name of incrementsOf(chains()[0] ?? '')) {
      expect(readFileSync(join(chain, name)).subarray(0, 8).toString()).to.equal('factseal');
    }
    const refused = await restore('latest');
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include(`sealed with the key ${operatorKeyId(key)}`);
    const restored = await restore('latest', holdKeys(to, key));
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const planted = join(target, 'increments-20260101T000000000Z-1a2b3c4d');
    mkdirSync(planted);
    writeFileSync(join(planted, '0000000000-1'), 'made up');
    rmSync(chain, { recursive: true });
    const clear = await restore('latest', holdKeys(to, key));
    expect(clear.stderr).to.include('lies in the clear');
  }).timeout(LIMIT_MS);

  it('bring back a sealed store on an empty machine with the key alone, also after an erasure', async () => {
    const sealed = { ...env, ...holdKeys(from, key) };
    const first = await from.start(sealed);
    await note(first, 'user:a');
    await allSent(first);
    await first.end();
    rmSync(join(target, 'content-keys'), { recursive: true });
    const node = await from.start(sealed);
    await note(node, 'user:gone');
    await note(node, 'user:b');
    const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: 'user:gone' });
    const erased = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    await note(node, 'user:c');
    await allSent(node);
    await node.end();
    to.takeKeys(from);
    const restored = await restore('latest', holdKeys(to, key));
    expect(restored.exitCode, restored.stderr).to.equal(0);
    const again = await to.start(holdKeys(to, key));
    for (const entity of ['user:a', 'user:b', 'user:c']) {
      const { facts } = (await request(again, 'GET', `/v1/facts?entity=${entity}`)).body;
      expect(
        facts.map(({ value }: { readonly value: { readonly v: string } }) => value.v),
        entity,
      ).to.deep.equal(['something']);
    }
    expect(await factsAbout(again, 'user:gone')).to.equal(0);
    await again.end();
  }).timeout(LIMIT_MS);

  it('lose their content keys to no other store that has the same target', async () => {
    await makeChain(holdKeys(from, key));
    const copy = (): Buffer[] => bytesBelow(join(target, 'content-keys')).map(({ bytes }) => bytes);
    const before = copy();
    const node = await to.start(holdKeys(to, key));
    await note(node, 'user:other');
    await node.end();
    const refused = await to.run(['backup'], { ...holdKeys(to, key), SVC_BACKUP_TARGET: target });
    expect(refused.exitCode).to.equal(1);
    expect(refused.stderr).to.include('belong to another store');
    expect(copy()).to.deep.equal(before);
  }).timeout(LIMIT_MS);

  it('are listed, go with their base after an erasure, and begin anew; the erasure is repeated', async () => {
    const node = await from.start(env);
    await note(node, 'user:gone');
    await allSent(node);
    const pointInTime = new Date().toISOString();
    const [first = ''] = chains();
    const kept = from.work.path('kept');
    await note(node, 'user:stays');
    await allSent(node);
    cpSync(join(target, first), join(kept, first), { recursive: true });
    const { body: tombstone } = await request(node, 'POST', '/v1/tombstones', { entity_uri: 'user:gone' });
    const erased = await request(node, 'POST', `/v1/tombstones/${tombstone.id}/erase`, { confirm: 'user:gone' });
    expect(erased.status, JSON.stringify(erased.body)).to.equal(200);
    const listed = await from.run(['backup', 'list', '--from', target]);
    expect(listed.stderr).to.include(`${first}: any point in time from `);
    expect(listed.stderr).to.not.include('there is no backup');
    const pruned = await from.run(['backup', 'prune', '--erased', '--from', target]);
    expect(pruned.stdout).to.equal(`${first}\n`);
    await note(node, 'user:later');
    await waitUntil('another chain begins', LIMIT_MS, () => chains().some((name) => name !== first));
    await node.end();
    to.takeKeys(from);
    cpSync(from.work.path('data/erasures.jsonl'), to.work.path('data/erasures.jsonl'));
    const restored = await to.run(['restore', '--from', kept, '--at', pointInTime]);
    expect(restored.exitCode, restored.stderr).to.equal(0);
    expect(restored.stdout).to.match(/^Erasures +1 since; the next start repeats them$/m);
    const again = await to.start({ SVC_TOMBSTONES_ENABLED: 'true' });
    expect(await factsAbout(again, 'user:gone')).to.equal(0);
    await again.end();
  }).timeout(LIMIT_MS);

  it('leave no copy of the store beside the backups for long, when a restore of them is killed', async () => {
    const node = await from.start(env);
    await waitUntil('the store is sent', LIMIT_MS, () => reachedMs() > 0);
    await node.end();
    const copies = (): string[] =>
      existsSync(to.backups) ? readdirSync(to.backups).filter((name) => name.startsWith('chain-')) : [];
    await to.kill(['restore', '--from', target, '--at', 'latest'], () => copies().length > 0);
    const [left = ''] = copies();
    cpSync(join(to.backups, left), to.work.path('left'), { recursive: true });
    expect((await restore('latest')).exitCode).to.equal(0);
    expect(copies(), 'after the next restore').to.deep.equal([]);
    to.takeKeys(from);
    renameSync(to.work.path('left'), join(to.backups, left));
    await to.backUp();
    expect(copies(), 'after the next backup').to.deep.equal([]);
  }).timeout(LIMIT_MS);

  it('need a target, and a store that records changes', async () => {
    const lacking = await from.run(['plugins', 'doctor'], { SVC_BACKUP_INCREMENT_SECONDS: '1' });
    expect(`${lacking.stdout}${lacking.stderr}`).to.include('increments have no target to go to');
    const place = await BackupPlace.on('postgres', BACKED_UP);
    const refused = await place.run(['start'], env);
    expect(refused.stderr).to.include('records no increments');
    await place.dispose();
  }).timeout(LIMIT_MS);
});
