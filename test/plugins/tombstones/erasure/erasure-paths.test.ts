import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, drain, has, peerUp, pullUntil, push } from '../../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../../kit/federation/test-peer.ts';
import type { WireFact } from '../../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { READING_ROUTES } from '../../gardens/reading-routes.ts';
import { exportLines, importAll } from '../../transfer/transfer-node.ts';
import { findTraces } from './find-traces.ts';

const CANARY = 'ZebraFish-Quartz-7f3A';
const VICTIM = 'user:victim';
const INSTRUCTION = 'instruction:default/agent/a1/deploy/v1';
const HOOK = 'https://hook.test';

interface Said {
  readonly id: string;
  readonly cid: string;
}

forEachStore('an erasure of facts that arrived by every path', (kind) => {
  let world: ReturnType<typeof createWorld>;
  let folder: string;
  let node: FederatedNode;
  let other: FederatedNode;
  let peer: TestPeer;
  let hookStatus: number;
  let delivered: string[];
  let closeHook: () => Promise<void>;

  const startNode = async () => {
    const env = { SVC_TOMBSTONES_ENABLED: 'true', SVC_QUARANTINE_GARDEN_ID: 'ward' };
    node = await startFederatedNode({ name: 'n', ...world, folder, env });
  };
  beforeEach(async () => {
    world = createWorld();
    hookStatus = 503;
    delivered = [];
    folder = await mkdtemp(join(tmpdir(), 'erasure-'));
    await startNode();
    other = await startFederatedNode({ name: 'o', ...world });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'p.test' });
    await peerUp(node, other);
    await declareBoth(node, peer);
    const hook = await world.network.transport(HOOK).serve({
      endpoints: [
        {
          method: 'POST',
          path: '/in',
          async handle(request) {
            delivered.push(Buffer.from(await request.body(1_000_000)).toString());
            return { status: hookStatus, headers: {} };
          },
        },
      ],
      unmatched: async () => ({ status: 404, headers: {} }),
    });
    closeHook = () => hook.close(0);
  });
  afterEach(async () => {
    await closeHook?.();
    await peer?.stop();
    await other?.stop();
    await node?.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (status: number, method: string, path: string, body?: unknown, headers = {}) => {
    const options = { key: node.key, headers, ...(body === undefined ? {} : { body }) };
    const reply = await node.request(method, path, options);
    expect(reply.status, `${method} ${path} ${reply.text}`).to.equal(status);
    return reply;
  };
  const fact = (word: string, members: object = {}) => ({
    entity: VICTIM,
    relation: `memory:${word}`,
    value: { type: 'text', v: `${CANARY} ${word}` },
    source: 'agent:s',
    scope: 'company',
    ...members,
  });
  const say = async (word: string, members: object = {}, headers = {}): Promise<Said> =>
    (await ask(201, 'POST', '/v1/facts', fact(word, members), headers)).body;
  const store = () => node.kernel.get(FactStore);
  const rowsOf = async (table: string) =>
    (await store().table(table).select()) as readonly Readonly<Record<string, unknown>>[];
  const traces = (needles: readonly (string | Uint8Array)[]) =>
    findTraces(store(), kind === 'sqlite' ? folder : undefined, needles);

  /** Returns the canary texts and the values derived from them: content ids, value keys and salts. */
  const needlesNow = async (): Promise<(string | Uint8Array)[]> => {
    const rows = (await rowsOf('facts')).filter(({ entity_key: key }) => key === VICTIM || key === INSTRUCTION);
    expect(rows.length).to.be.above(12);
    const made = rows.flatMap((row) => [row['cid'], row['value_key'], row['salt']]);
    const known = made.filter((one) => one !== null && one !== undefined && String(one).length > 15);
    return [CANARY, CANARY.toLowerCase(), ...(known as (string | Uint8Array)[])];
  };

  const subscribe = async () => {
    const me = 'agent:owner-of-n';
    const body = { issuer: me, subject: me, verb: 'subscribe', object: 'svc://facts/scope:company' };
    const { token_json } = (await ask(201, 'POST', '/v1/federation/capability-tokens', body)).body;
    const hook = { target: 'scope:company', on_change: 'webhook', webhook_url: `${HOOK}/in` };
    await ask(201, 'POST', '/v1/subscriptions', hook, { 'X-Svc-Capability': token_json });
    await world.clock.advance(1_000);
  };

  const sayHere = async () => {
    const said = [await say('plain'), await say('replayed', {}, { 'Idempotency-Key': 'once' })];
    await ask(200, 'POST', '/v1/facts/batch', [fact('first'), fact('second')], { 'Idempotency-Key': 'many' });
    said.push(await say('retracted'), await say('retracted', { confidence: 0 }));
    const losing = await say('disputed', { confidence: 0.4 });
    const winning = await say('disputed', { value: { type: 'text', v: `${CANARY} wins` } });
    const { conflicts } = (await ask(200, 'GET', '/v1/conflicts')).body;
    const resolution = { winning_fact_id: winning.id, resolution_note: `because ${CANARY}` };
    await ask(200, 'POST', `/v1/conflicts/${conflicts[0].conflict_id}/resolve`, resolution);
    said.push(losing, winning);
    await say('x', {
      entity: `svc:fact:${losing.id}`,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: '2099-01-01T00:00:00Z' },
    });
    await say('knows', { relation: 'rel:knows', value: { type: 'ref', v: `user:${CANARY}` } });
    await say('number', { value: { type: 'string', v: CANARY }, valid_until: '2099-01-01T00:00:00Z' });
    await ask(201, 'POST', '/v1/gardens', { slug: 'herbs', name: 'Herbs' });
    await ask(201, 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    said.push(await say('garden', { garden_id: 'herbs' }));
    const held = await say('held', { garden_id: 'ward' });
    await ask(200, 'POST', '/v1/gardens/ward/reject', { fact_id: held.id, reason: 'a leak' });
    said.push(held, await say('waiting', { garden_id: 'ward' }));
    return said;
  };

  const publish = async () => {
    const value = { type: 'text', v: `deploy ${CANARY}` };
    const pinned = await say('x', { entity: INSTRUCTION, relation: 'instruction:content', value, scope: 'local' });
    const entry = {
      name: 'deploy',
      fact_uri: INSTRUCTION,
      load_triggers: { intents: [CANARY] },
      token_estimate: 9,
      cid: pinned.cid,
    };
    const manifest = { version: 'v1', entries: [{ ...entry, description: CANARY }] };
    await ask(200, 'PUT', '/v1/agents/a1/instruction-manifest', manifest);
    await ask(200, 'POST', '/v1/agents/a1/recall-instruction', { intent: CANARY });
  };

  const receive = async (referred: string) => {
    const open = { entity: VICTIM, scope: 'public', value: { type: 'text', v: `${CANARY} from elsewhere` } };
    const pulled = await other.say(open);
    await pullUntil(node, () => has(node, pulled.id));
    const aheadMs = world.clock.nowMs() + 3 * 86_400_000;
    const parked = peer.fact({ ...open, hlc: `${aheadMs}.0` });
    const referring = peer.fact({ derived_from: [referred] });
    peer.feed.push(parked, referring);
    await pullUntil(node, () => has(node, referring.id));
    expect(await rowsOf('federation_parked')).to.have.length(1);
    const pushed = peer.fact(open);
    const taken = await push(node, peer, [pushed]);
    expect(taken.body, taken.text).to.include({ accepted: 1 });
    await other.say({ entity: VICTIM, scope: 'company', value: { type: 'text', v: `${CANARY} imported` } });
    const file = await exportLines(other);
    expect((await importAll(node, file)).stored).to.be.above(0);
    return { pulled, pushed: pushed as WireFact, file };
  };

  const erase = async (entity: string) => {
    const { id } = (await ask(201, 'POST', '/v1/tombstones', { entity_uri: entity })).body;
    return (await ask(200, 'POST', `/v1/tombstones/${id}/erase`, { confirm: entity })).body;
  };

  it('leaves no trace in tables, files and replies, and no erased fact returns', async () => {
    await subscribe();
    const said = await sayHere();
    const [first] = said as [Said];
    const derived = await say('derived', {
      entity: 'user:other',
      value: { type: 'text', v: 'made of another' },
      derived_from: [first.cid],
    });
    await publish();
    const received = await receive(first.cid);
    await ask(200, 'GET', `/v1/cards/${VICTIM}?scope=company&refresh=true`);
    await ask(200, 'POST', '/v1/recall', { query: CANARY, token_budget: 4_000 }, { 'Svc-Session': 'voyage' });
    expect((await ask(200, 'POST', '/v1/subjects/export', { entity_uri: VICTIM })).text).to.contain(CANARY);
    const own = await exportLines(node);
    await comesTrue(async () => {
      await world.clock.advance(100);
      return delivered.length > 0;
    });
    const needles = await needlesNow();
    expect(await traces(needles)).to.include.members(['facts.value_v', 'federation_parked.fact']);

    const receipts = [await erase(VICTIM), await erase(INSTRUCTION)];
    const nothing = async (when: string) => expect(await traces(needles), when).to.deep.equal([]);
    await nothing('after the erasure');
    for (const word of ['events', 'replies', 'notes', 'parked', 'references', 'edges']) {
      expect(receipts[0].erased[word], word).to.be.above(0);
    }
    expect(receipts[1].erased.manifests).to.equal(1);

    const silent = (text: string, where: string) => {
      for (const needle of needles) if (typeof needle === 'string') expect(text, where).to.not.contain(needle);
    };
    const seen = { factId: first.id, cid: derived.cid, derivedId: derived.id };
    const targets = Object.entries(READING_ROUTES).flatMap(([route, reads]) =>
      typeof reads === 'string'
        ? []
        : reads(seen).map(([target, body]) => ({ method: route.split(' ')[0], target, body })),
    );
    const more = [`/v1/facts?entity=${VICTIM}`, `/v1/cards/${VICTIM}?scope=company`, `/v1/tombstones/${VICTIM}`];
    for (const { id } of said) more.push(`/v1/facts/${id}`, `/v1/facts/${id}/provenance`, `/v1/audit/facts/${id}`);
    for (const { method = 'GET', target, body } of [
      ...targets,
      ...more.map((target) => ({ method: 'GET', target, body: undefined })),
    ]) {
      const reply = await node.request(method, target, { key: node.key, ...(body === undefined ? {} : { body }) });
      expect(reply.status, `${target} ${reply.text}`).to.be.below(500);
      silent(reply.text, target);
    }
    silent((await drain(node, peer)).text, 'the feed of peers');

    delivered.length = 0;
    hookStatus = 200;
    await world.clock.advance(60_000);
    silent(delivered.join('\n'), 'a webhook');
    await push(node, peer, [received.pushed]);
    await importAll(node, received.file);
    await importAll(node, own);
    await nothing('after it came again');
    await node.stop();
    await startNode();
    await node.request('POST', '/v1/recall', { key: node.key, body: { query: CANARY, token_budget: 900 } });
    await nothing('after another start');
  }).timeout(120_000);
});
