import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { forEachStore } from '../kit/for-each-store.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { BACKED_UP, BackupPlace, fact, request } from '../plugins/backup/backup-place.ts';
import { eraseEntity, holdKeys, succeed } from '../plugins/backup/sealed-place.ts';

const LIMIT_MS = 180_000;
const JOURNAL = 'data/erasures.jsonl';

forEachStore('a backup of a sealed store from before an erasure', (kind) => {
  let place: BackupPlace;
  let env: Record<string, string>;
  beforeEach(async () => {
    place = await BackupPlace.on(kind, { ...BACKED_UP, metrics: true, transfer: true });
    env = { ...holdKeys(place, randomBytes(32)), SVC_TOMBSTONES_ENABLED: 'true' };
  });
  afterEach(() => place.dispose());

  /**
   * Backs facts up, erases one of the entities, and restores the backup without the journal. Returns the journal, and
   * the id of the erased fact.
   */
  const restoreEarlier = async (): Promise<{ readonly journal: string; readonly gone: string }> => {
    const node = await place.start(env);
    const told = [];
    for (const entity of ['user:gone', 'user:stays', 'user:other']) {
      const { body } = await request(node, 'POST', '/v1/facts', fact(entity, 'a value'));
      told.push(body);
    }
    const citing = { ...fact('user:stays', 'concluded'), relation: 'x:cites', derived_from: [told[0].cid] };
    expect((await request(node, 'POST', '/v1/facts', citing)).status).to.equal(201);
    const backup = await succeed(place, env, 'backup');
    await eraseEntity(node, 'user:gone');
    await node.end();
    expect(await succeed(place, env, 'backup', 'drill')).to.match(
      /restored; checks that hold: (\d+) of \1; .*: 4 of 4 compared \(1 of them erased since this backup\)$/,
    );
    await succeed(place, env, 'restore', backup, '--replace');
    const journal = readFileSync(place.work.path(JOURNAL), 'utf8');
    rmSync(place.work.path(JOURNAL));
    return { journal, gone: told[0].id };
  };
  const values = async (entity: string): Promise<readonly unknown[]> => {
    const node = await place.start(env);
    const { body } = await request(node, 'GET', `/v1/facts?entity=${entity}&relation=x:note`);
    await node.end();
    return body.facts.map((found: { readonly value: { readonly v: unknown } }) => found.value.v);
  };

  it('restores whole: the erased facts are erased, their links fit, and verify counts them', async () => {
    await restoreEarlier();
    expect(await succeed(place, env, 'verify')).to.match(/^facts +holds \(1 fact erased since this backup\)$/m);
    expect(await values('user:gone')).to.deep.equal([]);
    expect(await values('user:stays')).to.deep.equal(['a value']);
    const exported = await place.run(['export'], env);
    expect(exported.exitCode, exported.stderr).to.equal(0);
    const facts = exported.stdout.split('\n').filter((line) => line.startsWith('{"type":"fact"'));
    expect(facts.join()).to.include('user:stays').and.not.include('user:gone');
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('answers for the erased fact as for no fact, and counts no damage', async () => {
    const { gone } = await restoreEarlier();
    const node = await place.start(env);
    expect((await request(node, 'GET', `/v1/facts/${gone}`)).status).to.equal(404);
    const listed = await request(node, 'GET', '/v1/facts');
    const headers = { Authorization: `Bearer ${place.env['SVC_BOOTSTRAP_KEY']}` };
    const metrics = await (await fetch(`${node.url}/v1/metrics`, { headers })).text();
    await node.end();
    expect(listed.body.facts.map(({ id }: { readonly id: string }) => id))
      .to.have.length(3)
      .and.not.include(gone);
    expect(metrics.match(/^svc_facts_damaged_total [1-9].*/m)).to.equal(null);
  }).timeout(LIMIT_MS);

  it('keeps its chain when the journal of erasures is read again', async () => {
    const { journal } = await restoreEarlier();
    writeFileSync(place.work.path(JOURNAL), journal);
    const node = await place.start(env);
    const erased = async () => (await place.rows()).get('facts')?.filter((row) => JSON.parse(row).cid === null) ?? [];
    await waitUntil('the fact is erased again', LIMIT_MS, async () => (await erased()).length > 0);
    await node.end();
    expect(await succeed(place, env, 'verify')).to.match(/^facts +holds$/m);
    expect((await erased()).map((row) => JSON.parse(row).sealed)).to.deep.equal([null]);
  }).timeout(LIMIT_MS);

  it('keeps its chain in a store with other keys, and in a clear one', async () => {
    await restoreEarlier();
    await succeed(place, env, 'encryption', 'rotate');
    expect(await succeed(place, env, 'verify')).to.match(/^facts +holds$/m);
    await succeed(place, env, 'encryption', 'off');
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('makes `verify` report a changed byte of a sealed fact, both if the key of the fact is gone and if it exists', async () => {
    await restoreEarlier();
    const digits = 'hex(sealed)';
    const changed =
      kind === 'sqlite'
        ? `unhex(substr(${digits}, 1, length(${digits}) - 2) ||
           CASE substr(${digits}, -2) WHEN '00' THEN '01' ELSE '00' END)`
        : 'set_byte(sealed, length(sealed) - 1, get_byte(sealed, length(sealed) - 1) # 1)';
    await place.tamper(`UPDATE facts SET sealed = ${changed} WHERE entity_key IN ('user:gone', 'user:other')`);
    const verified = await place.run(['verify'], env);
    expect(verified.exitCode, verified.stderr).to.equal(1);
    expect(verified.stdout.match(/the column sealed of the fact/g)).to.have.length(2);
    expect(await values('user:other')).to.deep.equal([]);
    expect(await values('user:stays')).to.deep.equal(['a value']);
  }).timeout(LIMIT_MS);
});
