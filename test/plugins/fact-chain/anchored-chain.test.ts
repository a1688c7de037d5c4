import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore, type OwnedMigration } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { tamper } from '../../kit/tamper.ts';
import { assertFacts, CHAINED, hashText, ledgerOf, prove } from './chain-node.ts';

const OLD_HASH = `sha256:${'0a'.repeat(32)}`;

/** What the store of a node had before the links came into the rows of the facts, once the core has moved the facts. */
const undoMigration = (oldHash: string): string => `
  DELETE FROM schema_migrations WHERE version LIKE '045%';
  DROP TABLE fact_chain_anchors;
  ALTER TABLE fact_chain_checkpoints DROP COLUMN covered_number;
  UPDATE fact_chain_checkpoints SET chain_hash = '${oldHash}';
  CREATE TABLE fact_chain_links (tenant_id TEXT, chain_seq BIGINT)`;

/** Fails as if the process ended. A third step would find nothing left to do. */
const stopsInSecondStep = (store: FactStore): FactStore => {
  let steps = 0;
  const stopping = (migration: OwnedMigration): OwnedMigration => ({
    ...migration,
    prepare: async (schema, progress) => {
      steps += 1;
      if (steps === 2) throw new Error('stopped');
      return migration.prepare?.(schema, progress) ?? true;
    },
  });
  const migrate: FactStore['migrate'] = (migrations, options) =>
    store.migrate(
      migrations.map((migration) => (migration.number === 45 ? stopping(migration) : migration)),
      options,
    );
  return new Proxy(store, {
    get: (target, member) => {
      if (member === 'migrate') return migrate;
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

forEachStore('a store whose facts were linked anew', () => {
  let folder: string;
  let node: TestNode;
  const start = async (): Promise<void> => {
    node = await startTestNode({ plugins: CHAINED, folder });
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anchored-'));
    await start();
  });
  afterEach(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const store = () => node.kernel.get(FactStore);
  const anchors = async () => (await store().table('fact_chain_anchors')) as Record<string, unknown>[];
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const say = async (count: number, entity: string) => assertFacts(node, await node.addKey(), numbers(count), entity);
  const migrate = async (changes = '') => {
    await node.stop();
    await tamper(node, `${undoMigration(OLD_HASH)}; ${changes}`);
    await start();
  };
  const linkAt = async (seq: number): Promise<string> => {
    const link = (await ledgerOf(node))[seq - 1]?.link;
    if (!link) throw new Error('there is no such link');
    return hashText(link.hash);
  };

  it('keeps the head of its old chain beside the same place of the new one', async () => {
    await say(3, 'user:early');
    const old = await prove(node);
    await say(2, 'user:late');
    await migrate();
    const [anchor, ...more] = await anchors();
    expect(more).to.deep.equal([]);
    expect(anchor).to.include({ tenant_id: 'default', old_chain_hash: OLD_HASH, chain_hash: await linkAt(3) });
    expect([anchor?.['old_chain_seq'], anchor?.['chain_seq']].map(Number)).to.deep.equal([3, 3]);
    expect(await store().tables()).to.not.include('fact_chain_links');
    const proof = await prove(node);
    expect(proof).to.include({ checked_entries: 5, head_hash: await linkAt(5) });
    // The log of checkpoints goes on: the old one, the one of the migration, the one of this proof.
    expect(old?.checkpoint['tl_log_index']).to.equal(0);
    expect(proof?.checkpoint['tl_log_index']).to.equal(2);
    expect(proof?.checkpoint['tl_inclusion_proof']).to.include({ prev_hash: await linkAt(3) });
  });

  it('verifies nothing again that the old checkpoint covered', async () => {
    await say(3, 'user:early');
    await prove(node);
    await migrate();
    await tamper(node, `UPDATE facts SET value_v = '77' WHERE link_seq = 1`);
    expect(await prove(node)).to.include({ checked_entries: 3 });
  });

  it('goes on in steps, from where an interrupted start stopped', async () => {
    await say(1_000, 'user:a');
    await say(1_000, 'user:b');
    await say(100, 'user:c');
    for (let proofs = 0; proofs < 2; proofs += 1) await prove(node);
    await node.stop();
    await tamper(node, undoMigration(OLD_HASH));
    expect(await rejection(startTestNode({ plugins: CHAINED, folder, wrapStore: stopsInSecondStep }))).to.match(
      /stopped/,
    );
    await start();
    const [anchor] = await anchors();
    expect([anchor?.['old_chain_seq'], anchor?.['chain_seq']].map(Number)).to.deep.equal([2_100, 2_100]);
    expect(anchor?.['chain_hash']).to.equal(await linkAt(2_100));
    expect(await prove(node)).to.include({ checked_entries: 2_100 });
  });

  it('covers nothing from a wrong link on, so that the next proof finds it', async () => {
    await say(3, 'user:early');
    await prove(node);
    await migrate(`UPDATE facts SET value_v = '77' WHERE link_seq = 2`);
    const error = await rejection(prove(node));
    expect(error).to.include({ code: 'fact_chain_mismatch' });
    expect(error['members']).to.include({ chain_seq: 2 });
    expect((await anchors()).map(({ old_chain_hash }) => old_chain_hash)).to.deep.equal([OLD_HASH]);
  });

  it('has no anchor when its chain was never proved', async () => {
    await say(3, 'user:early');
    await migrate();
    expect(await anchors()).to.deep.equal([]);
    expect(await prove(node)).to.include({ checked_entries: 3 });
  });
});
