import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import type { Dice } from '../world/dice.ts';
import { START_MS } from '../world/drifting-clock.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { Exchange } from '../world/virtual-network.ts';
import type { World } from '../world/world.ts';

/** A hostile peer of two nodes. It turns what one of them serves against the other. */
export interface Squatter {
  readonly nodeId: string;
  /** Begins the peerings with its victims. Returns at once, because the replies take virtual time. */
  begin(): void;
  /** Performs a random action against a random victim. */
  act(): void;
}

interface Parts {
  readonly world: World;
  readonly grants: Grants;
  readonly victims: readonly Party[];
}

interface Self extends Parts {
  readonly peer: TestPeer;
  readonly dice: Dice;
  /** The facts that the victims have served. */
  readonly captured: WireFact[];
  /** The victims that it has flooded, because a list shows 500 facts at most. */
  readonly flooded: Set<Party>;
  send(to: Party, facts: readonly unknown[]): Promise<Exchange>;
}

const HOST = 'squatter.example';
/** The entity of all its tales, so that they contradict no fact of an honest node. */
export const SQUATTED_ENTITY = 'user:squatted';
/** More faults than put a peer into quarantine. */
const FLOOD = 120;

export const createSquatter = async ({ world, grants, victims }: Parts): Promise<Squatter> => {
  const nowMs = (): number => START_MS + Math.floor(world.time.nowMs);
  const peer = await startTestPeer({ network: world.network.loopback, nowMs, host: HOST });
  const self: Self = {
    world,
    grants,
    victims,
    peer,
    dice: world.dice('squatter'),
    captured: [],
    flooded: new Set(),
    send: (to, facts) =>
      world.network.carry(peer.url, to.url, {
        method: 'POST',
        target: '/v1/federation/facts/push',
        headers: [
          ['Authorization', `Bearer ${peer.token(to.nodeId)}`],
          ['Content-Type', 'application/json'],
        ],
        body: Buffer.from(JSON.stringify({ facts })),
      }),
  };
  return {
    nodeId: peer.nodeId,
    begin() {
      for (const victim of victims) {
        void grants.declare(victim, { name: 'squatter', nodeId: peer.nodeId }, ownGrant);
        const key = victim.residents.keyOf('admin');
        const body = peer.declare(victim.nodeId, { node_url: peer.url });
        void victim.request('POST', '/v1/federation/peers', { key, body }).catch(() => {});
      }
    },
    act() {
      const up = victims.filter(({ node }) => node !== undefined);
      if (up.length === 0) return;
      const victim = self.dice.pick(up);
      const move = self.dice.pick(MOVES);
      world.trace.add(`the squatter ${move.name} at ${victim.name}`);
      // The victim may crash in the middle of an action.
      void move.run(self, victim).catch(() => {});
    },
  };
};

const ownGrant = { scopes: ['public'], direction: 'bidirectional' } as const;

interface Move {
  readonly name: string;
  run(self: Self, victim: Party): Promise<unknown>;
}

const tale = (dice: Dice): Readonly<Record<string, unknown>> => ({
  entity: SQUATTED_ENTITY,
  value: { type: 'string', v: `a tale ${dice.whole(1, 9_999)}` },
});

const MOVES: readonly Move[] = [
  {
    name: 'reads',
    async run({ world, peer, captured }, victim) {
      const { status, body } = await world.network.carry(peer.url, victim.url, {
        method: 'GET',
        target: '/v1/federation/facts?limit=200',
        headers: [['Authorization', `Bearer ${peer.token(victim.nodeId)}`]],
      });
      if (status !== 200) return;
      const { facts } = JSON.parse(Buffer.from(body).toString()) as { facts: WireFact[] };
      captured.push(...facts.map((fact) => ({ origin_node_id: victim.nodeId, ...fact })));
    },
  },
  {
    name: 'squats ids',
    run: ({ send, peer, dice, captured }, victim) =>
      send(
        victim,
        captured.slice(-20).map(({ id }) => peer.fact({ id, ...tale(dice) })),
      ),
  },
  {
    name: 'strips proofs',
    run: ({ send, captured }, victim) =>
      send(
        victim,
        captured.slice(-20).map(({ origin_proof: _, ...fact }) => fact),
      ),
  },
  {
    name: 'replays',
    run: ({ send, captured }, victim) => send(victim, captured.slice(-50)),
  },
  {
    name: 'equivocates',
    async run({ send, peer, dice, victims }) {
      const id = peer.unique();
      for (const victim of victims) await send(victim, [peer.fact({ id, ...tale(dice) })]);
    },
  },
  {
    name: 'floods in the name of others',
    async run({ send, peer, dice, world, flooded }, victim) {
      if (flooded.has(victim)) return;
      flooded.add(victim);
      const other = dice.pick(world.parties.filter((party) => party !== victim));
      const forged = Array.from({ length: FLOOD }, () => ({
        ...peer.fact({ ...tale(dice), source: other.nodeId, origin_proof: undefined }),
        origin_node_id: other.nodeId,
      }));
      await send(victim, forged);
    },
  },
];
