import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin, keepWithdrawals } from '../../../kernel/internal-api.ts';
import { Clock, DEFAULT_TENANT, NodeSettings, type PluginTables } from '../../../kernel/plugin-api.ts';
import { FIRST_RETRY_MS } from '../../../kernel/plugins/followed-signal.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const MANY_READS = 50;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** A plugin with one kind of withdrawal, whose rows the journal gets when a test lets it. */
const createWithdrawing = () => {
  let give: (entries: readonly string[]) => void = () => {};
  let tellAsked = (): void => {};
  const given = new Promise<readonly string[]>((resolve) => {
    give = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve;
  });
  const inner = {
    asked,
    give,
    isStarted: false,
    file: '',
    tables: undefined as unknown as PluginTables,
    withdraw: () => inner.tables.write(DEFAULT_TENANT, async (own) => own.signal('withdrawn')),
    plugin: defineOwnPlugin({
      name: 'acme',
      requires: { clock: Clock, node: NodeSettings },
      setup(context) {
        const { clock, node } = context.use;
        inner.tables = context.tables;
        inner.file = join(node.dataFolder, 'withdrawn');
        const since = async (): Promise<readonly string[]> => {
          if (!inner.isStarted) return [];
          tellAsked();
          return given;
        };
        keepWithdrawals(context, {
          tables: context.tables,
          clock,
          file: inner.file,
          topic: 'withdrawn',
          kinds: [{ since, repeat: async (journaled) => journaled.size }],
        });
      },
    }),
  };
  return inner;
};

forEachStore('a withdrawal that is noted after its commit', () => {
  it('is in the journal when its write resolves', async () => {
    const acme = createWithdrawing();
    const node = await startTestNode({ plugins: [acme.plugin] });
    acme.isStarted = true;
    let isTold = false;
    const told = acme.withdraw().then(() => {
      isTold = true;
    });
    await acme.asked;
    for (let read = 0; read < MANY_READS; read += 1) await acme.tables.read(async () => {});
    expect(isTold).to.equal(false);
    acme.give(['one']);
    await told;
    expect(readFileSync(acme.file, 'utf8')).to.include('one');
    await node.stop();
  });

  it('resolves without the journal, and is written down once the journal can be written', async () => {
    const acme = createWithdrawing();
    const node = await startTestNode({ plugins: [acme.plugin] });
    acme.isStarted = true;
    mkdirSync(acme.file);
    acme.give(['one']);
    await acme.withdraw();
    const isTold = node.logLines.some(({ level, message }) => level === 'warn' && /tried again/.test(message));
    expect(isTold).to.equal(true);
    rmdirSync(acme.file);
    await comesTrue(async () => {
      await node.clock.advance(FIRST_RETRY_MS);
      return existsSync(acme.file) && readFileSync(acme.file, 'utf8').includes('one');
    });
    await node.stop();
  });

  it('is written down by a regular stop where it could not be written before', async () => {
    const first = await startTestNode({ plugins: [createWithdrawing().plugin] });
    const acme = createWithdrawing();
    const random = createSeededRandom(2);
    const second = await startTestNode({ plugins: [acme.plugin], folder: first.folder, random });
    acme.isStarted = true;
    mkdirSync(acme.file);
    acme.give(['one']);
    await acme.withdraw();
    rmdirSync(acme.file);
    await second.stop();
    expect(readFileSync(acme.file, 'utf8')).to.include('one');
    await first.stop();
  });

  it('is repeated at the next start where the store lacks it, which the log says', async () => {
    const acme = createWithdrawing();
    const first = await startTestNode({ plugins: [acme.plugin] });
    // As after a kill between the journal and the commit.
    writeFileSync(acme.file, 'one\n');
    const again = createWithdrawing();
    const second = await startTestNode({
      plugins: [again.plugin],
      folder: first.folder,
      random: createSeededRandom(2),
    });
    const line = second.logLines.find(({ level, message }) => level === 'warn' && /are repeated/.test(message));
    expect(line?.message).to.match(/after a restore or a kill/);
    await second.stop();
    await first.stop();
  });

  it('is in the journal although the clock was set back since the former one', async () => {
    const node = await startTestNode({ plugins: ['keys', 'facts'] });
    const key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
    const revoke = async (name: string): Promise<string> => {
      const body = { raw_key: name.padEnd(64, '0'), entity_uri: 'agent:leaver', permissions: ['read'] };
      const added = await node.request('POST', '/v1/auth/keys', { key, body });
      expect(added.status, JSON.stringify(added.body)).to.equal(201);
      await node.request('DELETE', `/v1/auth/keys/${added.body.id}`, { key });
      return added.body.id;
    };
    const ids = [await revoke('former')];
    for (const shiftMs of [-HOUR_MS, -YEAR_MS, YEAR_MS, -HOUR_MS]) {
      node.clock.setNowMs(node.clock.nowMs() + shiftMs);
      ids.push(await revoke(`after-${ids.length}`));
    }
    const journal = readFileSync(join(node.folder, 'revoked-keys'), 'utf8');
    expect(ids.filter((id) => !journal.includes(id))).to.deep.equal([]);
    await node.stop();
  });
});
