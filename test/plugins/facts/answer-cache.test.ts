import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { readAnnotate } from '../../../kernel/plugin-api.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { factBody } from './fact-bodies.ts';

const ALICE = '/v1/facts?entity=user:alice';
const PLUGINS = [
  'facts',
  'conflicts',
  'gardens',
  'tombstones',
  'time-travel',
  'source-trust',
  'audit',
  'keys',
  'node-info',
];

forEachStore('cached answers to entity queries', (kind) => {
  let node: TestNode;
  let key: string;
  let reads: number;

  /** Counts the snapshots that are opened. */
  const counted = (store: FactStore): FactStore =>
    new Proxy(store, {
      get(target, name) {
        if (name === 'read') reads += 1;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const start = async (options: TestNodeOptions = {}): Promise<void> => {
    reads = 0;
    node = await startTestNode({ plugins: PLUGINS, wrapStore: counted, ...options });
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
  };

  afterEach(() => node.stop());

  const assert = async (changes: Record<string, unknown> = {}) => {
    const { status, body } = await node.request('POST', '/v1/facts', { key, body: factBody(changes) });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as { id: string };
  };
  const ask = async (path = ALICE, as = key) => {
    const before = reads;
    const { status, body, headers } = await node.request('GET', path, { key: as });
    return { status, body, total: headers['x-total-count'], reads: reads - before };
  };
  /**
   * Repeats a request until the answer comes from the cache, if it can be cached. `reads` is the least of several
   * answers, because the node may open snapshots of its own meanwhile, for example after a signal.
   */
  const settle = async (path = ALICE, as = key) => {
    for (let time = 0; time < 3; time += 1) await ask(path, as);
    const settled = await ask(path, as);
    let { reads: least } = settled;
    for (let time = 0; time < 20; time += 1) least = Math.min(least, (await ask(path, as)).reads);
    return { ...settled, reads: least };
  };
  const idsOf = ({ body }: { body: { facts: { id: string }[] } }): string[] => body.facts.map(({ id }) => id);

  it('equal uncached answers, and are read from SQLite without a snapshot', async () => {
    await start();
    await assert();
    await assert({ relation: 'memory:title' });
    const first = await ask();
    const kept = await settle();
    expect([kept.body, kept.total, kept.status]).to.deep.equal([first.body, first.total, 200]);
    expect(kept.reads, 'snapshots').to.equal(kind === 'sqlite' ? 0 : 1);
  });

  it('are dropped at the next fact about any entity', async () => {
    await start();
    const { id } = await assert();
    await settle();
    const second = await assert({ relation: 'memory:title' });
    expect(idsOf(await ask()).sort()).to.deep.equal([id, second.id].sort());
    await settle();
    await assert({ entity: 'user:bob' });
    expect((await ask()).reads).to.be.at.least(1);
  });

  it('are dropped when another process commits', async () => {
    await start();
    const { id } = await assert();
    await settle();
    const other = await startTestNode({ plugins: PLUGINS, folder: node.folder, store: kind, url: 'http://other:1' });
    try {
      const body = factBody({ relation: 'memory:title' });
      const added = await other.request('POST', '/v1/facts', { key, body });
      expect(added.status).to.equal(201);
      expect(idsOf(await ask()).sort()).to.deep.equal([id, added.body.id].sort());
    } finally {
      await other.stop();
    }
  });

  it('are dropped when one of their facts expires, without any commit', async () => {
    await start();
    const { id } = await assert({ valid_until: '2026-03-02T09:00:10Z' });
    await assert({
      entity: id,
      relation: 'svc:ttl',
      scope: 'local',
      value: { type: 'datetime', v: '2026-03-02T09:00:05Z' },
    });
    const lasting = await assert({ relation: 'memory:title' });
    expect(idsOf(await settle())).to.include(id);
    await node.clock.advance(6_000);
    expect(idsOf(await ask())).to.deep.equal([lasting.id]);
  });

  it('are dropped when the winner of a contradiction expires', async () => {
    await start();
    const weaker = await assert({ confidence: 0.4 });
    const value = { type: 'string', v: 'somebody else' };
    const winner = await assert({ value, confidence: 0.9, valid_until: '2026-03-02T09:01:00Z' });
    expect(idsOf(await settle())).to.deep.equal([winner.id]);
    await node.clock.advance(61_000);
    expect(idsOf(await ask())).to.deep.equal([weaker.id]);
  });

  it('are valid for one caller with its present rights and key', async () => {
    await start();
    await assert({ scope: 'company' });
    const narrow = await node.addKey({ permissions: ['read'], scopes: ['public'] });
    await settle();
    expect(idsOf(await settle(ALICE, narrow))).to.deep.equal([]);
    const registration = { raw_key: 'k'.repeat(48), entity_uri: 'agent:leaver', permissions: ['read'] };
    const { body } = await node.request('POST', '/v1/auth/keys', { key, body: registration });
    const leaver = registration.raw_key;
    expect((await settle(ALICE, leaver)).status).to.equal(200);
    await node.request('DELETE', `/v1/auth/keys/${body.id}`, { key });
    expect((await ask(ALICE, leaver)).status).to.equal(401);
  });

  it('are kept apart for each combination of query parameters', async () => {
    await start();
    await assert({ scope: 'public' });
    await assert({ relation: 'memory:title', confidence: 0.3 });
    const paths = ['', '&scope=public', '&min_confidence=0.5', '&limit=1', '&fields=id', '&relation=memory:title'];
    const first = [];
    for (const more of paths) first.push((await ask(`${ALICE}${more}`)).body);
    for (const [at, more] of paths.entries()) {
      expect((await settle(`${ALICE}${more}`)).body, more).to.deep.equal(first[at]);
    }
  });

  it('are never used for a query as of a past moment', async () => {
    await start();
    const { id } = await assert();
    const past = `${ALICE}&as_of=2026-03-02T09:00:00Z`;
    await settle(past);
    expect((await ask(past)).reads).to.be.at.least(1);
    expect(idsOf(await settle())).to.deep.equal([id]);
  });

  const marker = (cacheable: boolean | undefined) =>
    defineOwnPlugin({
      name: 'marker',
      setup({ on }) {
        on(readAnnotate, () => undefined, cacheable === undefined ? {} : { cacheable });
      },
    });

  for (const [cacheable, outcome] of [
    [undefined, 'end'],
    [false, 'end'],
    [true, 'stay'],
  ] as const) {
    it(`${outcome} when a plugin registers a read handler with cacheable ${cacheable}`, async () => {
      await start({ extra: [marker(cacheable)] });
      await assert();
      expect((await settle()).reads).to.equal(cacheable === true && kind === 'sqlite' ? 0 : 1);
    });
  }

  it('are possible with every bundled plugin that handles reads', async () => {
    await inTemporaryFolder(async (folder) => {
      const rulesFile = join(folder, 'rules.json');
      await writeFile(rulesFile, '{"default":0.4}');
      await start({ plugins: [...PLUGINS, 'federation'], env: { SVC_TRUST_RULES_FILE: rulesFile } });
      await assert();
      expect((await settle()).reads).to.equal(kind === 'sqlite' ? 0 : 1);
    });
  });

  it('do not exist if the cache has no memory', async () => {
    await start({ env: { SVC_CACHE_MIB: '0' } });
    await assert();
    expect((await settle()).reads).to.equal(1);
  });
});
