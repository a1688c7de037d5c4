import type { TestReply } from '../../kit/test-request.ts';
import type { Dice } from '../world/dice.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Resident } from '../world/residents.ts';
import { mark } from '../world/trace.ts';
import type { World } from '../world/world.ts';
import type { Courier } from './courier.ts';
import { createFactSource, gardenOf, type Place } from './said-facts.ts';

/** A client request, and the reply that the client received. */
export interface Call {
  readonly party: Party;
  readonly as: Resident;
  readonly method: string;
  readonly target: string;
  readonly reply: TestReply;
}

export interface WorkloadParts {
  readonly world: World;
  readonly grants: Grants;
  readonly courier: Courier;
  readonly dice: Dice;
  /** Pairs of nodes that become peers of each other. */
  readonly edges: readonly (readonly [Party, Party])[];
  /** Receives every reply. */
  readonly seen: (call: Call) => void;
}

export interface Workload {
  /** Creates the gardens. */
  begin(): Promise<void>;
  /** Starts a random operation, which may take long or never end. */
  next(): void;
  /** Sends a client request. Returns undefined when the node crashed before its reply. */
  call(party: Party, as: Resident, method: string, target: string, body?: unknown): Promise<TestReply | undefined>;
}

type Operation = (party: Party) => Promise<unknown>;

export const createWorkload = ({ world, grants, edges, courier, dice, seen }: WorkloadParts): Workload => {
  const source = createFactSource(dice);
  const replacing = world.dice('replacements');
  const call: Workload['call'] = async (party, as, method, target, body) => {
    if (party.node === undefined) return undefined;
    const key = party.residents.keyOf(as);
    try {
      const reply = await party.request(method, target, { key, ...(body === undefined ? {} : { body }) });
      if (party.node === undefined) return undefined;
      world.trace.add(`${party.name} ${as} ${method} ${target} ${reply.status} ${mark(reply.text)}`);
      seen({ party, as, method, target, reply });
      return reply;
    } catch {
      return undefined;
    }
  };
  const next = (party: Party, place = placeOf(dice)) => source.next(party, place, party.clock.wallMs());
  const operations: readonly (readonly [number, Operation])[] = [
    [
      46,
      async (party) => {
        await call(party, 'member', 'POST', '/v1/facts', next(party));
        if (replacing.comes(0.2)) await replaceOne({ party, dice: replacing, call });
      },
    ],
    [
      5,
      (party) =>
        call(
          party,
          'member',
          'POST',
          '/v1/facts/batch',
          several(dice, () => next(party)),
        ),
    ],
    [8, (party) => call(party, 'member', 'POST', '/v1/facts', { ...next(party), confidence: 0 })],
    [5, (party) => resolveOne({ party, dice, call })],
    [18, (party) => readSomething({ party, dice, call })],
    [5, (party) => changeGarden({ party, dice, call })],
    [4, () => changeGrant({ dice, grants, edge: dice.pick(edges) })],
    [8, () => courier.carry(...turned(dice, dice.pick(edges)))],
    [2, () => grants.revoke(...turned(dice, dice.pick(edges)))],
  ];
  return {
    call,
    async begin() {
      for (const party of world.parties) {
        const scope = 'company';
        await call(party, 'admin', 'POST', '/v1/gardens', { slug: gardenOf(party), name: 'plot', scope });
        const member = { entity_uri: party.residents.entityOf('member'), role: 'writer' };
        await call(party, 'admin', 'POST', `/v1/gardens/${gardenOf(party)}/members`, member);
      }
    },
    next() {
      const up = world.parties.filter(({ node }) => node !== undefined);
      const operation = dice.weighted(operations);
      // A node may crash in the middle of an operation.
      if (up.length > 0) void operation(dice.pick(up)).catch(() => {});
    },
  };
};

const placeOf = (dice: Dice): Place =>
  dice.weighted<Place>([
    [58, 'public'],
    [22, 'company'],
    [6, 'team'],
    [5, 'local'],
    [9, 'garden'],
  ]);

const several = (dice: Dice, make: () => unknown): readonly unknown[] => Array.from({ length: dice.whole(2, 8) }, make);

const turned = <T>(dice: Dice, [one, other]: readonly [T, T]): readonly [T, T] =>
  dice.comes(0.5) ? [one, other] : [other, one];

interface Actor {
  readonly party: Party;
  readonly dice: Dice;
  readonly call: Workload['call'];
}

const resolveOne = async ({ party, dice, call }: Actor): Promise<unknown> => {
  const listed = await call(party, 'member', 'GET', '/v1/conflicts?limit=20');
  const conflicts: readonly { conflict_id: string; members: readonly string[] }[] = listed?.body?.conflicts ?? [];
  if (conflicts.length === 0) return undefined;
  const { conflict_id: id, members } = dice.pick(conflicts);
  const body = dice.comes(0.7)
    ? { winning_fact_id: dice.pick(members) }
    : { new_value: { type: 'number', v: dice.whole(1, 4) } };
  return call(party, 'member', 'POST', `/v1/conflicts/${id}/resolve`, body);
};

/** Names one or two public facts of a triple in a fact that ends them, or takes them back. */
const replaceOne = async ({ party, dice, call }: Actor): Promise<unknown> => {
  const query = `/v1/facts?scope=public&entity=user:${dice.whole(1, 7)}&include_contradicted=true`;
  const listed = await call(party, 'member', 'GET', query);
  const facts: readonly ListedFact[] = listed?.body?.facts ?? [];
  const live = facts.filter(({ confidence }) => confidence > 0);
  if (live.length === 0) return undefined;
  const { entity, relation } = dice.pick(live);
  const named = live.filter((fact) => fact.entity === entity && fact.relation === relation).slice(0, dice.whole(1, 2));
  const v = dice.whole(1, 4);
  return call(party, 'member', 'POST', '/v1/facts', {
    entity,
    relation,
    value: relation === 'rel:knows' ? { type: 'ref', v: `user:${v}` } : { type: 'number', v },
    source: `agent:clerk-${party.name}`,
    scope: 'public',
    confidence: dice.pick([0, 0.7, 1]),
    replaces: named.map(({ id }) => id),
  });
};

interface ListedFact {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly confidence: number;
}

const readSomething = ({ party, dice, call }: Actor): Promise<unknown> => {
  const as = dice.pick<Resident>(['reader', 'outsider', 'member', 'admin']);
  const entity = encodeURIComponent(`user:${dice.whole(1, 7)}`);
  const target = dice.pick([
    `/v1/facts?entity=${entity}`,
    `/v1/facts?entity=${entity}&include_contradicted=true&include_retracted=true&include_expired=true`,
    '/v1/facts?limit=50',
    '/v1/conflicts',
    `/v1/cards/${entity}`,
    `/v1/graph/neighbors?entity=${entity}&depth=2`,
  ]);
  return call(party, as, 'GET', target);
};

const changeGarden = ({ party, dice, call }: Actor): Promise<unknown> => {
  const members = `/v1/gardens/${gardenOf(party)}/members`;
  const writer = party.residents.entityOf('writer');
  return dice.comes(0.5)
    ? call(party, 'admin', 'POST', members, { entity_uri: writer, role: 'reader' })
    : call(party, 'admin', 'DELETE', `${members}/${encodeURIComponent(writer)}`);
};

interface GrantChange {
  readonly dice: Dice;
  readonly grants: Grants;
  readonly edge: readonly [Party, Party];
}

const changeGrant = ({ dice, grants, edge }: GrantChange): Promise<void> => {
  const [from, to] = turned(dice, edge);
  const direction = dice.weighted([
    [6, 'bidirectional' as const],
    [1, 'outbound' as const],
    [1, 'inbound' as const],
  ]);
  return grants.declare(from, to, { scopes: dice.comes(0.5) ? ['public', 'company'] : ['public'], direction });
};
