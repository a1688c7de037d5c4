import { expect } from 'chai';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { contentOf, exportLines, importAll } from './transfer-node.ts';

const fact = (n: number, v: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  entity: `user:${n}`,
  relation: 'memory:role',
  value: { type: 'string', v },
  source: 'agent:w1',
  ...more,
});

describe('moving a tenant between stores', function () {
  this.timeout(300_000);
  const nodes: TestNode[] = [];

  const start = async (store: StoreKind, settings: Parameters<typeof startTestNode>[0] = {}) => {
    // Each node has its own seed, so that two nodes never draw the same id.
    const node = await startTestNode({ random: createSeededRandom(nodes.length + 1), ...settings, store });
    nodes.push(node);
    const key = await node.addKey({ permissions: ['read', 'write', 'admin', 'instruction:write'] });
    return { node, key };
  };
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop();
  });

  const post = async ({ node, key }: Started, path: string, body: unknown) => {
    const reply = await node.request('POST', path, { key, body });
    expect(reply.status, reply.text).to.be.below(300);
    return reply.body;
  };

  it('records facts at the time of the import, with their own timestamps and stamps', async () => {
    const from = await start('sqlite');
    const stored = await post(from, '/v1/facts', fact(1, 'moved'));
    const to = await start('sqlite');
    await to.node.clock.advance(60_000);
    const importedMs = to.node.clock.nowMs();
    await importAll(to.node, await exportLines(from.node));
    const { body } = await to.node.request('GET', '/v1/history/user:1', { key: to.key });
    const [event] = body.events;
    expect(Date.parse(event.recorded_at)).to.equal(importedMs);
    expect(event.fact).to.include({ id: stored.id, timestamp: stored.timestamp, hlc: stored.hlc });
  });

  /** Adds one of every kind of object that a store can contain. */
  const fill = async (started: Started): Promise<void> => {
    const batch = Array.from({ length: 70 }, (_, n) => fact(n, `text ${n} 😀\u2028`, { scope: 'team' }));
    await post(started, '/v1/facts/batch', batch);
    await post(
      started,
      '/v1/facts',
      fact(1, 'other', {
        scope: 'team',
        valid_from: '2026-01-01T00:00:00+02:00',
        valid_until: '2027-01-01T00:00:00.123456+02:00',
      }),
    );
    const source = await post(started, '/v1/facts', {
      ...fact(2, 0.1, { scope: 'team', timestamp: '2020-02-29T23:59:59Z', confidence: 0.3 }),
      value: { type: 'number', v: 1e-7, interpret_as: 'instruction' },
    });
    await post(
      started,
      '/v1/facts',
      fact(3, 'sum', { derived_from: [source.cid], write_mode: 'summarize_with_provenance' }),
    );
    await started.node.clock.advance(5);
    await post(started, '/v1/facts', fact(4, 'gone', { scope: 'team', confidence: 0 }));
    await post(started, '/v1/facts', {
      entity: `svc:fact:${source.id}`,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: '2026-06-01T00:00:00Z' },
      source: 'agent:w1',
      scope: 'team',
    });
    const { conflicts } = (await started.node.request('GET', '/v1/conflicts', { key: started.key })).body;
    expect(conflicts).to.have.length(2);
    await post(started, `/v1/conflicts/${conflicts[0].conflict_id}/resolve`, {
      new_value: { type: 'null', v: null },
      resolution_note: 'settled',
    });
    await post(started, '/v1/facts', fact(1, 'after all', { scope: 'team' }));
    const { id } = await post(started, '/v1/facts', fact(5, 'old'));
    const next = await post(started, '/v1/facts', fact(5, 'new', { replaces: [id] }));
    await post(started, '/v1/facts', fact(5, 'unnamed'));
    await post(started, '/v1/facts', fact(5, '-', { confidence: 0, replaces: [next.id] }));
  };
  type Started = Awaited<ReturnType<typeof start>>;

  const answersOf = async ({ node, key }: Started) => {
    const answers: unknown[] = [];
    for (const target of [
      '/v1/facts?limit=500',
      '/v1/facts?limit=500&include_contradicted=true&include_expired=true&include_retracted=true',
      '/v1/conflicts?status=all',
      '/v1/conflicts',
    ]) {
      answers.push((await node.request('GET', target, { key })).body);
    }
    return answers;
  };

  for (const [from, to] of [
    ['sqlite', 'postgres'],
    ['postgres', 'sqlite'],
  ] as const) {
    it(`preserves the content: ${from} to ${to} and back`, async () => {
      const first = await start(from);
      await fill(first);
      const file = await exportLines(first.node);
      const second = await start(to);
      expect((await importAll(second.node, file)).refused).to.deep.equal([]);
      expect(await contentOf(second.node)).to.deep.equal(file.slice(1));
      expect(await answersOf(second)).to.deep.equal(await answersOf(first));

      const third = await start(from);
      await importAll(third.node, await exportLines(second.node), 1000);
      expect(await contentOf(third.node)).to.deep.equal(file.slice(1));

      expect(await importAll(third.node, file)).to.deep.equal({ stored: 0, refused: [] });
      expect(await contentOf(third.node)).to.deep.equal(file.slice(1));
    });
  }

  it('adds only the new facts of a later export, and accepts new facts afterwards', async () => {
    const first = await start('sqlite');
    await post(first, '/v1/facts', fact(1, 'a'));
    await post(first, '/v1/facts', fact(1, 'b'));
    const early = await exportLines(first.node);
    const second = await start('sqlite');
    await importAll(second.node, early);
    const [conflict] = (await first.node.request('GET', '/v1/conflicts', { key: first.key })).body.conflicts;
    await post(first, `/v1/conflicts/${conflict.conflict_id}/resolve`, { winning_fact_id: conflict.fact_a.id });
    const late = await exportLines(first.node);
    await importAll(second.node, late);
    expect(await contentOf(second.node)).to.deep.equal(late.slice(1));

    await post(second, '/v1/facts', fact(1, 'c'));
    const [newest] = (await second.node.request('GET', '/v1/conflicts', { key: second.key })).body.conflicts;
    expect(newest.conflict_id).not.to.equal(conflict.conflict_id);
  });

  it('names each invalid line, and stores the others', async () => {
    const first = await start('sqlite');
    for (const n of [1, 2, 3, 4, 5]) await post(first, '/v1/facts', fact(n, `v${n}`));
    const file = await exportLines(first.node);
    const change = (at: number, members: Readonly<Record<string, unknown>>) => {
      file[at] = JSON.stringify({ ...JSON.parse(file[at] ?? ''), ...members });
    };
    const firstId = JSON.parse(file[1] ?? '').id;
    change(2, { source: 'agent:forged' });
    file[3] = '{"type":';
    change(4, { type: 'card' });
    change(5, { id: firstId });
    file.splice(1, 0, JSON.stringify({ ...JSON.parse(file[1] ?? ''), hlc: '9999999999999.0' }));
    const second = await start('sqlite');
    const { stored, refused } = await importAll(second.node, file, 100);
    expect(stored).to.equal(1);
    expect(refused.map(({ number, reason }) => `${number} ${reason}`)).to.deep.equal([
      '2 hlc is more than a day ahead of the clock of this machine',
      '4 the fact does not match its content identifier: the file was changed or damaged',
      '5 not valid JSON',
      '6 of a type that no plugin of this node takes in',
      '7 another fact is stored under this id',
    ]);
  });

  it('refuses a file of a service with another name, of a later format, and a file that is no export', async () => {
    const first = await start('sqlite');
    const [header = ''] = await exportLines(first.node);
    const other = await start('sqlite', { node: { serviceName: 'acme' } });
    const refusal = async (node: TestNode, text: string): Promise<string> =>
      importAll(node, [text]).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await refusal(other.node, header)).to.equal(
      'the file comes from a service named svc, this one is named acme',
    );
    expect(await refusal(first.node, header.replace('"version":1', '"version":2'))).to.match(
      /format version of this export is not 1/,
    );
    expect(await refusal(first.node, '{}')).to.equal('the first line is not the header of an export');
  });
});
