import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { GardenAccess } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { openGardens } from '../../fakes/open-gardens.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export const ENTITY = 'svc://alpha.example/user/noor';

export interface AssertedFact {
  readonly id: string;
  readonly cid: string;
  readonly hlc: string;
}

/** A node with cards, and short methods for the steps of a test. */
export interface CardsNode {
  readonly node: TestNode;
  readonly key: string;
  /** Asserts a fact about `ENTITY` in scope local, unless the members say otherwise. */
  say(relation: string, v: string, members?: Readonly<Record<string, unknown>>): Promise<AssertedFact>;
  /** Returns the reply to a request for a card, of scope local by default. */
  ask(options?: CardRequest): Promise<TestReply>;
  /** Requests a card, expects status 200, and returns the body. */
  card(options?: CardRequest): Promise<TestReply['body']>;
  /** Returns the facts that hold cards of an entity, newest first, as the key sees them. */
  cardFacts(options?: CardRequest): Promise<readonly TestReply['body'][]>;
}

export interface CardRequest {
  readonly entity?: string;
  readonly query?: string;
  readonly key?: string;
}

export const CARD_PLUGINS = ['keys', 'facts', 'conflicts', 'cards'] as const;

export const startCardsNode = async (options: TestNodeOptions = {}): Promise<CardsNode> => {
  const node = await startTestNode({ plugins: [...CARD_PLUGINS], ...options });
  const key = await node.addKey();
  const ask: CardsNode['ask'] = ({ entity = ENTITY, query = '', key: as = key } = {}) =>
    node.request('GET', `/v1/cards/${encodeURIComponent(entity)}${query}`, { key: as });
  return {
    node,
    key,
    ask,
    async say(relation, v, members = {}) {
      const value = { type: 'string', v };
      const body = { entity: ENTITY, relation, value, source: 'agent:s', scope: 'local', ...members };
      const reply = await node.request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body;
    },
    async card(request) {
      const reply = await ask(request);
      expect(reply.status, reply.text).to.equal(200);
      return reply.body;
    },
    async cardFacts({ entity = ENTITY, key: as = key } = {}) {
      const target = `/v1/facts?entity=${encodeURIComponent(entity)}&relation=svc:memory:card`;
      const reply = await node.request('GET', target, { key: as });
      expect(reply.status, reply.text).to.equal(200);
      return reply.body.facts;
    },
  };
};

/** Gives each entity access to the gardens that are listed for it. */
export const gardenDoors = (doors: Readonly<Record<string, 'all' | readonly string[]>>): AnyPlugin =>
  defineOwnPlugin({
    name: 'garden-doors',
    provides: [GardenAccess],
    setup: ({ provide }) =>
      provide(
        GardenAccess,
        openGardens((entityUri) => doors[entityUri] ?? []),
      ),
  });
