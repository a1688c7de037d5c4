import { expect } from 'chai';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';

export interface NeighborBody {
  readonly entity: string;
  readonly relation: string;
  readonly hops: number;
  readonly confidence: number;
  readonly source_trust: number | null;
  readonly path: readonly string[];
}

/** A node with the graph, and short methods for tests. */
export interface GraphNode {
  readonly node: TestNode;
  readonly key: string;
  /** Asserts a reference from `from` to `to`, and returns the fact. */
  link(from: string, to: string, members?: Readonly<Record<string, unknown>>): Promise<{ readonly id: string }>;
  ask(query: string, key?: string): ReturnType<TestNode['request']>;
  /** Returns the names of the neighbours, in order. */
  names(query: string, key?: string): Promise<string[]>;
}

export const GRAPH_PLUGINS = ['keys', 'facts', 'conflicts', 'graph'] as const;

export const startGraphNode = async (options: TestNodeOptions = {}): Promise<GraphNode> => {
  const node = await startTestNode({ plugins: [...GRAPH_PLUGINS], ...options });
  const key = await node.addKey();
  const ask: GraphNode['ask'] = (query, as = key) => node.request('GET', `/v1/graph/neighbors?${query}`, { key: as });
  return {
    node,
    key,
    link: async (from, to, members = {}) => {
      const body = {
        entity: from,
        relation: 'rel:knows',
        value: { type: 'ref', v: to },
        source: 'agent:s',
        scope: 'company',
        ...members,
      };
      const reply = await node.request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
      return reply.body;
    },
    ask,
    names: async (query, as = key) => {
      const reply = await ask(query, as);
      expect(reply.status, reply.text).to.equal(200);
      return reply.body.neighbors.map(({ entity }: NeighborBody) => entity);
    },
  };
};
