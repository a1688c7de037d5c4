import type { FailingNode } from './failing-node.ts';

/** Sends one prepared request; it can be called repeatedly. */
export type Send = (node: FailingNode) => ReturnType<FailingNode['send']>;

/** One way to write. `prepare` creates the requirements and returns concurrent requests; `n` distinguishes attempts. */
export interface WriteFlow {
  readonly name: string;
  prepare(node: FailingNode, n: number): Promise<readonly Send[]>;
}

const GROUP = 8;

const fact = (entity: string, v: string, more: Readonly<Record<string, unknown>> = {}) => ({
  entity,
  relation: 'memory:note',
  value: { type: 'string', v },
  source: 'agent:test',
  ...more,
});

const assert =
  (body: unknown, headers?: Readonly<Record<string, string>>): Send =>
  (node) =>
    node.send('POST', '/v1/facts', body, headers);

const stored = async (node: FailingNode, body: unknown): Promise<{ id: string; cid: string }> => {
  const reply = await assert(body)(node);
  if (reply.status !== 201) throw new Error(`preparing was answered with ${reply.status}`);
  return reply.body as { id: string; cid: string };
};

const conflictOn = async (node: FailingNode, entity: string): Promise<{ id: string; winner: string }> => {
  const { id: winner } = await stored(node, fact(entity, 'one'));
  await stored(node, fact(entity, 'other'));
  const reply = await node.send('GET', '/v1/conflicts?limit=500');
  const conflicts = reply.body.conflicts as { conflict_id: string; members: string[] }[];
  return { id: conflicts.find(({ members }) => members.includes(winner))?.conflict_id ?? '', winner };
};

const resolving = async (node: FailingNode, entity: string, body: (winner: string) => unknown): Promise<Send[]> => {
  const { id, winner } = await conflictOn(node, entity);
  return [(to) => to.send('POST', `/v1/conflicts/${id}/resolve`, body(winner))];
};

const publicKey = (n: number): string => {
  const bytes = Buffer.alloc(32, 1);
  bytes.writeUInt32BE(n);
  return bytes.toString('base64url');
};

export const IDEMPOTENT_FLOW: WriteFlow = {
  name: 'an assertion with an Idempotency-Key',
  prepare: async (_, n) => [assert(fact(`keyed:${n}`, 'one'), { 'Idempotency-Key': `key-${n}` })],
};

export const WRITE_FLOWS: readonly WriteFlow[] = [
  { name: 'an assertion', prepare: async (_, n) => [assert(fact(`single:${n}`, 'one'))] },
  IDEMPOTENT_FLOW,
  {
    name: 'an assertion that opens a conflict',
    async prepare(node, n) {
      await stored(node, fact(`opens:${n}`, 'one'));
      return [assert(fact(`opens:${n}`, 'other'))];
    },
  },
  {
    name: 'an assertion that joins a conflict',
    async prepare(node, n) {
      await conflictOn(node, `joins:${n}`);
      return [assert(fact(`joins:${n}`, 'third'))];
    },
  },
  {
    name: 'a retraction',
    async prepare(node, n) {
      await stored(node, fact(`retracts:${n}`, 'one'));
      return [assert(fact(`retracts:${n}`, 'retracted', { confidence: 0 }))];
    },
  },
  {
    name: 'a time to live',
    async prepare(node, n) {
      const { id } = await stored(node, fact(`expires:${n}`, 'one'));
      const value = { type: 'datetime', v: '2999-01-01T00:00:00Z' };
      return [assert({ entity: id, relation: 'svc:ttl', value, source: 'agent:test' })];
    },
  },
  {
    name: 'a derived assertion',
    async prepare(node, n) {
      const { id, cid } = await stored(node, fact(`source:${n}`, 'one'));
      return [assert(fact(`derived:${n}`, 'one', { derived_from: [{ fact_id: id }, cid] }))];
    },
  },
  {
    name: `${GROUP} assertions that share a transaction`,
    prepare: async (_, n) => Array.from({ length: GROUP }, (__, at) => assert(fact(`group:${n}-${at}`, 'one'))),
  },
  {
    name: `a batch of ${GROUP}, one of them wrong`,
    async prepare(_, n) {
      const items = Array.from({ length: GROUP }, (__, at) => fact(`batch:${n}-${at}`, 'one'));
      return [(node) => node.send('POST', '/v1/facts/batch', [...items, fact('wrong', 'x', { confidence: 2 })])];
    },
  },
  {
    name: 'a resolution by a member',
    prepare: (node, n) => resolving(node, `winner:${n}`, (winner) => ({ winning_fact_id: winner })),
  },
  {
    name: 'a resolution by a new value',
    prepare: (node, n) =>
      resolving(node, `replaced:${n}`, () => ({ new_value: { type: 'number', v: n }, resolution_note: 'measured' })),
  },
  {
    name: 'the registration of a key',
    prepare: async (_, n) => {
      const body = { raw_key: `raw-key-of-attempt-${n}-0123456789abcdef`, entity_uri: 'agent:other' };
      return [(node) => node.send('POST', '/v1/auth/keys', body)];
    },
  },
  {
    name: 'the revocation of a key',
    async prepare(node, n) {
      const body = { raw_key: `to-be-revoked-${n}-0123456789abcdef0123`, entity_uri: 'agent:other' };
      const { id } = (await node.send('POST', '/v1/auth/keys', body)).body as { id: string };
      return [(to) => to.send('DELETE', `/v1/auth/keys/${id}`)];
    },
  },
  {
    name: 'the registration of an agent key',
    prepare: async (_, n) => [(node) => node.send('POST', '/v1/auth/agent-keys', { public_key: publicKey(n) })],
  },
  {
    name: 'the revocation of an agent key',
    async prepare(node, n) {
      const { id } = (await node.send('POST', '/v1/auth/agent-keys', { public_key: publicKey(n) })).body as {
        id: string;
      };
      return [(to) => to.send('DELETE', `/v1/auth/agent-keys/${id}`)];
    },
  },
];
