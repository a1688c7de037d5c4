import { jsonAnswer, startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { Violation } from '../oracle/violation.ts';
import { gardenOf } from '../workload/said-facts.ts';
import type { Dice } from '../world/dice.ts';
import { START_MS } from '../world/drifting-clock.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Exchange } from '../world/virtual-network.ts';
import type { World } from '../world/world.ts';

/** A hostile peer with its own key. One node, its victim, has declared a peering to it. */
export interface Stranger {
  /** Begins the peering with its victim. Returns at once, because the replies take virtual time. */
  begin(): void;
  /** Performs a random action, which is usually dishonest. */
  act(): void;
  /** Ends all dishonest actions. */
  behave(): void;
  /** The ids of facts that no node may ever store, each with the reason. */
  readonly forbidden: ReadonlyMap<string, string>;
}

interface Parts {
  readonly world: World;
  readonly grants: Grants;
  readonly oracle: Pick<Oracle, 'storeOf' | 'report'>;
  readonly victim: Party;
  /** The peers of the victim, whose keys the stranger knows. */
  readonly neighbours: readonly Party[];
}

/** The state of the stranger. */
interface Self extends Parts {
  readonly peer: TestPeer;
  readonly dice: Dice;
  readonly forbidden: Map<string, string>;
  /** Facts that the victim served to the stranger. */
  readonly captured: WireFact[];
  send(facts: readonly unknown[], token?: string): Promise<Exchange>;
}

const HOST = 'stranger.example';
const DAY_MS = 86_400_000;

export const createStranger = async (parts: Parts): Promise<Stranger> => {
  const { world, victim, grants } = parts;
  const nowMs = (): number => START_MS + Math.floor(world.time.nowMs);
  const peer = await startTestPeer({ network: world.network.loopback, nowMs, host: HOST });
  const honest = peer.answerPull;
  const self: Self = {
    ...parts,
    peer,
    dice: world.dice('stranger'),
    forbidden: new Map(),
    captured: [],
    send: (facts, token = peer.token(victim.nodeId)) =>
      world.network.carry(peer.url, victim.url, {
        method: 'POST',
        target: '/v1/federation/facts/push',
        headers: [
          ['Authorization', `Bearer ${token}`],
          ['Content-Type', 'application/json'],
        ],
        body: Buffer.from(JSON.stringify({ facts })),
      }),
  };
  return {
    forbidden: self.forbidden,
    begin() {
      void grants.declare(victim, { name: 'stranger', nodeId: peer.nodeId }, ownGrant);
      const key = victim.residents.keyOf('admin');
      const declaration = peer.declare(victim.nodeId, { node_url: peer.url });
      void victim.request('POST', '/v1/federation/peers', { key, body: declaration }).catch(() => {});
    },
    act() {
      if (victim.node === undefined) return;
      peer.answerPull = self.dice.comes(0.5) ? honest : lyingAnswer(self, honest);
      const move = self.dice.pick(MOVES);
      world.trace.add(`the stranger ${move.name}`);
      void move.run(self).catch((error: unknown) => {
        // The victim may crash in the middle of an action.
        if (error instanceof Violation) parts.oracle.report(error);
      });
    },
    behave() {
      peer.answerPull = honest;
    },
  };
};

const ownGrant = { scopes: ['public'], direction: 'bidirectional' } as const;

interface Move {
  readonly name: string;
  run(self: Self): Promise<unknown>;
}

/** Returns a fact of the stranger about an entity of other nodes, which contradicts their facts. */
const ownFact = ({ peer, dice }: Self, changes: Readonly<Record<string, unknown>> = {}): WireFact =>
  peer.fact({
    entity: `user:${dice.whole(1, 7)}`,
    relation: dice.pick(['state:mood', 'state:place']),
    value: { type: 'string', v: `said-${dice.whole(1, 3)}` },
    confidence: dice.pick([0, 0.5, 0.9, 1]),
    ...changes,
  });

/** Pushes or serves facts that no node may store. */
const forge = (self: Self, facts: readonly WireFact[]): Promise<unknown> => {
  for (const fact of facts) self.forbidden.set(fact.id, JSON.stringify(fact));
  if (self.dice.comes(0.5)) return self.send(facts);
  self.peer.feed.push(...facts);
  return Promise.resolve();
};

const MOVES: readonly Move[] = [
  { name: 'shares a fact', run: async (self) => self.peer.feed.push(ownFact(self), ownFact(self)) },
  { name: 'pushes a fact', run: (self) => self.send([ownFact(self)]) },
  { name: 'pulls', run: (self) => capture(self) },
  { name: 'repeats a push', run: (self) => repeatPush(self) },
  { name: 'repeats a token', run: (self) => repeatToken(self) },
  { name: 'alters what it was told', run: (self) => alter(self) },
  { name: 'speaks for a neighbour', run: (self) => impersonate(self) },
  { name: 'takes a known id', run: (self) => collide(self) },
  {
    name: 'brings stamps of tomorrow',
    run: (self) => forge(self, [ownFact(self, { hlc: `${START_MS + DAY_MS + self.dice.whole(0, 9_999)}.0` })]),
  },
  {
    name: 'brings a counter that is nearly full',
    run: (self) => forge(self, [ownFact(self, { hlc: `${START_MS}.2147483647` })]),
  },
  { name: 'takes the voice of its victim', run: (self) => takeVoice(self) },
  { name: 'brings what is not shared', run: (self) => bringUnshared(self) },
  {
    name: 'brings what is no fact',
    run: (self) => self.send([null, 7, {}, [], { id: 'x' }, { ...ownFact(self), id: 9 }]),
  },
];

const capture = async (self: Self): Promise<void> => {
  const { world, peer, victim, captured } = self;
  const { status, body } = await world.network.carry(peer.url, victim.url, {
    method: 'GET',
    target: '/v1/federation/facts?limit=200',
    headers: [['Authorization', `Bearer ${peer.token(victim.nodeId)}`]],
  });
  if (status !== 200) return;
  captured.splice(0, captured.length, ...(JSON.parse(Buffer.from(body).toString()).facts as WireFact[]));
};

const COUNTS = `SELECT (SELECT count(*) FROM facts) AS facts, (SELECT count(*) FROM conflicts_records) AS records,
  (SELECT count(*) FROM conflicts_members) AS members`;

/** Sends the same push twice; the second one must change nothing. */
const repeatPush = async (self: Self): Promise<void> => {
  const facts = [ownFact(self), ownFact(self)];
  const { status } = await self.send(facts);
  if (status !== 202) return;
  const count = (): string => JSON.stringify(self.oracle.storeOf(self.victim).rows(COUNTS)[0]);
  const before = count();
  const again = await self.send(facts);
  if (again.status === 202 && count() !== before) throw new Violation('I10', `a repeated push changed ${before}`);
};

/** Sends a token twice; the oracle checks that only the first use succeeds. */
const repeatToken = async (self: Self): Promise<void> => {
  const token = self.peer.token(self.victim.nodeId);
  await self.send([ownFact(self)], token);
  await self.send([ownFact(self)], token);
};

/** Returns the ids of nodes whose signatures the victim can check: itself, and its peers. */
const knownOrigins = async ({ victim, neighbours }: Self): Promise<readonly string[]> => {
  const key = victim.residents.keyOf('admin');
  const { body } = await victim.request('GET', '/v1/federation/peers', { key });
  const active = new Set<string>();
  for (const { node_id: id, status } of body.peers) if (status === 'active') active.add(id);
  return [victim.nodeId, ...neighbours.map(({ nodeId }) => nodeId).filter((id) => active.has(id))];
};

/** Alters a fact and gives it a new id, because the old id is known. Its proof is the original one, or absent. */
const alter = async (self: Self): Promise<void> => {
  const { dice, peer, victim, captured } = self;
  if (captured.length === 0) await capture(self);
  const known = await knownOrigins(self);
  const from = captured.filter(({ origin_node_id: origin = victim.nodeId }) => known.includes(origin));
  if (from.length === 0) return;
  const { cid: _cid, origin_proof: proof, ...original } = dice.pick(from);
  const origin = original.origin_node_id ?? victim.nodeId;
  const value = { type: 'string', v: 'altered' };
  const altered = { ...original, id: peer.unique(), origin_node_id: origin, confidence: 1, value };
  await forge(self, [(dice.comes(0.7) ? { ...altered, origin_proof: proof } : altered) as WireFact]);
};

/** Sends a fact of another origin with a proof by the stranger's own key. */
const impersonate = async (self: Self): Promise<void> => {
  const { dice, peer } = self;
  const origin = dice.pick(await knownOrigins(self));
  const fact = { ...ownFact(self), origin_node_id: origin };
  await forge(self, [{ ...fact, origin_proof: peer.prove(fact) }]);
};

/** Sends other content under a known id; the oracle checks that stored facts never change. */
const collide = async (self: Self): Promise<void> => {
  if (self.captured.length === 0) await capture(self);
  if (self.captured.length === 0) return;
  const { id } = self.dice.pick(self.captured);
  await self.send([ownFact(self, { id, value: { type: 'string', v: 'another tale' } })]);
};

const takeVoice = (self: Self): Promise<unknown> => {
  const { dice, victim } = self;
  const source = dice.pick([victim.nodeId, `${victim.nodeId}/agent/scout`, 'system:svc', 'SYSTEM:svc']);
  return forge(self, [ownFact(self, { source })]);
};

const bringUnshared = (self: Self): Promise<unknown> => {
  const { dice, victim } = self;
  const changes = dice.pick<Readonly<Record<string, unknown>>>([
    { scope: 'local' },
    { scope: 'team' },
    { scope: 'company' },
    { garden_id: gardenOf(victim) },
    { entity: 'svc:conflict:00000000-0000-4000-8000-000000000000', relation: 'svc:conflict:status' },
    { relation: 'svc:received_from', entity: 'svc:fact:x' },
    { relation: 'instruction:manifest' },
    { relation: 'svc:ttl', value: { type: 'datetime', v: '2026-03-02T09:00:00Z' } },
  ]);
  return forge(self, [ownFact(self, changes)]);
};

/** Returns a dishonest page in place of an honest reply to a pull. */
const lyingAnswer = (self: Self, honest: TestPeer['answerPull']): TestPeer['answerPull'] => {
  const { dice, peer } = self;
  const lie = dice.whole(0, 9);
  return async (request) => {
    const page = JSON.parse(String((await honest(request)).body)) as Readonly<Record<string, unknown>>;
    switch (lie) {
      case 0:
        return jsonAnswer({ ...page, cursor: '9999999999999.0' });
      case 1:
        return jsonAnswer({ ...page, has_more: true, cursor: '1.0' });
      case 2:
        return jsonAnswer({ ...page, has_more: true });
      case 3:
        return jsonAnswer({ ...page, epoch: peer.unique() });
      case 4:
        return jsonAnswer('{"facts":[{"id":');
      case 5:
        return jsonAnswer({ ...page, facts: Array.from({ length: 600 }, () => ({ id: 'x' })) });
      case 6:
        return jsonAnswer({ facts: null, cursor: 7, has_more: 'yes', epoch: [] });
      case 7:
        return jsonAnswer({ error: 'later' }, 429, { 'Retry-After': '20' });
      case 8:
        return jsonAnswer('[['.repeat(50_000));
      default:
        return new Promise(() => {});
    }
  };
};
