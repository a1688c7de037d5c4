import { expect } from 'chai';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../kit/start-test-node.ts';
import { prove } from '../plugins/fact-chain/chain-node.ts';
import { loadOldStore, type OldStore, readRecording } from './load-old-store.ts';
import { ask, withoutRanks } from './old-answers.ts';

type Settings = NonNullable<TestNodeOptions['settings']>;

const ABOUT_AUDIT = /\/audit/;
const ABOUT_LEDGERS = /\/audit|\/billing/;

forEachStore('a node on a store with several rows a fact', () => {
  let old: OldStore | undefined;
  let node: TestNode | undefined;
  afterEach(async () => {
    await node?.stop();
    await old?.remove();
  });

  const upgrade = async (name: 'plain' | 'patchy', switchedOff: readonly string[] = []) => {
    const recording = await readRecording(name);
    old = await loadOldStore(recording);
    // Another seed than that of the recording, whose identifiers are taken.
    const random = createSeededRandom(2);
    const settings = Object.fromEntries(switchedOff.map((plugin) => [plugin, false])) as unknown as Settings;
    node = await startTestNode({ folder: old.folder, clock: createManualClock(recording.nowMs), random, settings });
    return { ...recording, node };
  };

  it('answers as the node before it did', async () => {
    const { answers, keys, node } = await upgrade('plain');
    for (const { key, target, ...told } of answers) {
      const answer = withoutRanks(target, await ask(node, keys[key], target));
      expect(answer, `${target} as ${key}`).to.deep.equal(withoutRanks(target, told));
    }
  });

  it('answers so also where plugins had been off, apart from what the audit log lacked', async () => {
    const { answers, keys, node } = await upgrade('patchy');
    for (const { key, target, ...told } of answers) {
      if (ABOUT_AUDIT.test(target)) continue;
      const answer = withoutRanks(target, await ask(node, keys[key], target));
      expect(answer, `${target} as ${key}`).to.deep.equal(withoutRanks(target, told));
    }
  });

  it('answers so although plugins were off during the upgrade', async () => {
    const { answers, keys, nowMs, node: first } = await upgrade('plain', ['audit', 'billing', 'fact-chain']);
    await first.stop();
    const random = createSeededRandom(2);
    node = await startTestNode({ folder: first.folder, clock: createManualClock(nowMs), random });
    for (const { key, target, ...told } of answers) {
      if (!ABOUT_LEDGERS.test(target)) continue;
      expect(await ask(node, keys[key], target), `${target} as ${key}`).to.deep.equal(told);
    }
    expect(await prove(node)).not.to.equal(null);
  });

  it('has one entry for every fact, in the order of the feed, and all others where they were', async () => {
    const { tables, keys, node } = await upgrade('patchy');
    const reply = await node.request('GET', '/v1/auth/audit?limit=1000', { key: keys.admin });
    const entries: readonly Entry[] = reply.body.entries;
    const ofFacts = entries.flatMap(({ event_type, fact_id }) => (event_type === 'fact_write' ? [fact_id] : []));
    const facts = (tables['facts'] ?? []) as readonly { id: string; feed_wall: number; feed_ctr: number }[];
    const inFeed = facts.toSorted((a, b) => a.feed_wall - b.feed_wall || a.feed_ctr - b.feed_ctr);
    expect(ofFacts).to.deep.equal(inFeed.map(({ id }) => id));

    const before = (tables['audit_entries'] ?? []) as unknown as readonly (Entry & { seq: number })[];
    const known = new Set(before.map(nameOf));
    const kept = entries.filter((entry) => known.has(nameOf(entry)));
    expect(kept.map(nameOf)).to.deep.equal(before.map(nameOf));
    for (const [at, { seq }] of kept.entries()) expect(seq).to.be.at.least(before[at]?.seq ?? 0);
    expect(new Set(entries.map(({ seq }) => seq)).size).to.equal(entries.length);
  });

  it('goes on: facts meet older ones, and entries get higher numbers', async () => {
    const { tables, keys, node } = await upgrade('plain');
    const [fact] = (tables['facts'] ?? []) as readonly { id: string; entity: string; relation: string }[];
    const { entity = '', relation = '', id = '' } = fact ?? {};
    const assert = (v: string, confidence: number) =>
      node.request('POST', '/v1/facts', {
        key: keys.one,
        body: { entity, relation, source: 'agent:one', value: { type: 'string', v }, confidence },
      });
    expect((await assert('a third thing', 1)).body.contradicted).to.equal(true);
    expect((await assert('nothing', 0)).status).to.equal(201);
    const list = `/v1/facts?scope=local&entity=${encodeURIComponent(entity)}&relation=${relation}`;
    const live = await node.request('GET', list, { key: keys.one });
    expect(live.body.facts.filter((left: { confidence: number }) => left.confidence > 0)).to.deep.equal([]);
    expect((await node.request('GET', `/v1/facts/${id}`, { key: keys.one })).body.contradicted).to.equal(false);
    const garden = { slug: 'after', name: 'After' };
    expect((await node.request('POST', '/v1/gardens', { key: keys.one, body: garden })).status).to.equal(201);
    const { body } = await node.request('GET', '/v1/auth/audit?limit=1000', { key: keys.admin });
    const seqs: number[] = body.entries.map(({ seq }: Entry) => seq);
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size).to.equal(seqs.length);
    const { body: billed } = await node.request('GET', '/v1/admin/billing/events?limit=3', { key: keys.admin });
    const types = billed.events.map(({ event_type }: { event_type: string }) => event_type);
    expect(types).to.deep.equal(['garden_created', 'fact_written', 'fact_written']);
  });

  it('keeps entries of a store that has no facts yet, and their numbers', async () => {
    const { tables, ...recording } = await readRecording('plain');
    const entries = (tables['audit_entries'] ?? []).filter((row) => row['event_type'] !== 'fact_write');
    const left = ['node_clock', 'node_settings', 'keys_api_keys'].map((table) => [table, tables[table] ?? []] as const);
    old = await loadOldStore({ ...recording, tables: { ...Object.fromEntries(left), audit_entries: entries } });
    node = await startTestNode({ folder: old.folder, clock: createManualClock(recording.nowMs) });
    const body = { entity: 'user:first', relation: 'memory:n', source: 'agent:one', value: { type: 'number', v: 1 } };
    expect((await node.request('POST', '/v1/facts', { key: recording.keys.one, body })).status).to.equal(201);
    const reply = await node.request('GET', '/v1/auth/audit?limit=1000', { key: recording.keys.admin });
    const seqs = reply.body.entries.map(({ seq }: Entry) => seq);
    const before = entries.map((row) => Number(row['seq']));
    expect(seqs).to.deep.equal([...before, (before.at(-1) ?? 0) + 1]);
  });
});

interface Entry {
  readonly seq: number;
  readonly id: string;
  readonly event_type: string;
  readonly fact_id: string | null;
}

/** The same before and after: entries about facts got other ids. */
const nameOf = ({ event_type, fact_id, id }: Entry): string => `${event_type} ${fact_id ?? id}`;
