import fc from 'fast-check';
import type { TestNode } from '../kit/start-test-node.ts';

/** One step of a caller. It refers to earlier results by number: the n-th fact, the n-th conflict. */
export type Command =
  | { readonly kind: 'assert'; readonly body: Body }
  | { readonly kind: 'batch'; readonly bodies: readonly Body[] }
  | { readonly kind: 'ttl'; readonly fact: number; readonly at: string }
  | { readonly kind: 'resolve'; readonly conflict: number; readonly member: number; readonly value: unknown }
  | { readonly kind: 'read'; readonly fact: number; readonly what: '' | '/provenance' }
  | {
      readonly kind: 'query';
      readonly path: '/v1/facts' | '/v1/conflicts';
      readonly search: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'wait'; readonly ms: number };

type Body = Readonly<Record<string, unknown>>;

const INSTANTS = [
  '2026-03-02T09:00:00.040Z',
  '2026-03-02T10:00:00.2+01:00',
  '2026-03-02T09:00:00.0004Z',
  '2027-01-01T00:00:00Z',
] as const;
const PAST = ['2020-02-29T23:59:59Z', '2026-03-02T10:00:00+01:00', '2026-03-02T09:00:00.0004Z'] as const;
const ENTITIES = ['user:alice', 'User:Alice ', 'svc://a.example/doc/1'] as const;
const RELATIONS = ['memory:role', 'memory:Role'] as const;
const SOURCES = ['agent:w1', 'agent:W2'] as const;
const SCOPES = ['local', 'team'] as const;

const instant = fc.constantFrom(...INSTANTS);
const value = fc.oneof(
  fc.constantFrom('a', 'b', 'A', '', '%_', '😀\u2028', 'e\u0301').map((v) => ({ type: 'string', v })),
  fc.constantFrom(0, 1, 1e-7, 0.1 + 0.2, 2 ** 53 - 1, 1e21).map((v) => ({ type: 'number', v })),
  fc.boolean().map((v) => ({ type: 'boolean', v })),
  instant.map((v) => ({ type: 'datetime', v })),
  fc.constant({ type: 'null', v: null }),
  fc.constant({ type: 'text', v: 'do it', interpret_as: 'instruction' }),
);

const body: fc.Arbitrary<Body> = fc.record(
  {
    entity: fc.constantFrom(...ENTITIES),
    relation: fc.constantFrom(...RELATIONS),
    value,
    source: fc.constantFrom(...SOURCES),
    confidence: fc.constantFrom(1, 1, 0.5, 1 / 3, 0),
    scope: fc.constantFrom(...SCOPES),
    valid_from: instant,
    valid_until: instant,
    timestamp: fc.constantFrom(...PAST),
  },
  { requiredKeys: ['entity', 'relation', 'value', 'source'] },
);

/** Generates a few parameters at a time, because all of them together would match too few facts for a second page. */
const factSearch = fc
  .tuple(
    fc.record({
      entity: fc.constantFrom(...ENTITIES),
      relation: fc.constantFrom(...RELATIONS),
      source: fc.constantFrom(...SOURCES),
      scope: fc.constantFrom(...SCOPES),
      min_confidence: fc.constantFrom(0, 1 / 3, 0.5, 1),
      include_contradicted: fc.boolean(),
      include_expired: fc.boolean(),
      include_retracted: fc.boolean(),
      after: fc.constantFrom(...INSTANTS, '1772442000000.3'),
    }),
    fc.subarray(
      [
        'entity',
        'relation',
        'source',
        'scope',
        'min_confidence',
        'include_contradicted',
        'include_expired',
        'include_retracted',
        'after',
      ] as const,
      { maxLength: 3 },
    ),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([all, named, limit]) => ({ ...Object.fromEntries(named.map((name) => [name, all[name]])), limit }));

const conflictSearch = fc.record(
  { status: fc.constantFrom('all', 'resolved', 'unresolved'), limit: fc.integer({ min: 1, max: 2 }) },
  { requiredKeys: [] },
);

const place = fc.nat({ max: 30 });

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('assert' as const), body }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      bodies: fc.array(body, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ttl' as const), fact: place, at: instant }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      conflict: place,
      member: place,
      value: fc.option(value, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      fact: place,
      what: fc.constantFrom('' as const, '/provenance' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      path: fc.constant('/v1/facts' as const),
      search: factSearch,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      path: fc.constant('/v1/conflicts' as const),
      search: conflictSearch,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 50, 500) }) },
);

export const commands = fc.array(command, { minLength: 15, maxLength: 40 });

/** A caller of one node, who remembers the ids in earlier answers. */
export class CommandCaller {
  readonly #node: TestNode;
  readonly #key: string;
  readonly #factIds: string[] = [];

  constructor(node: TestNode, key: string) {
    this.#node = node;
    this.#key = key;
  }

  /** Returns every answer to one command, in a form that can be compared between nodes. */
  async run(command: Command): Promise<unknown[]> {
    switch (command.kind) {
      case 'assert':
        return [await this.#send('POST', '/v1/facts', command.body)];
      case 'batch':
        return [await this.#send('POST', '/v1/facts/batch', command.bodies)];
      case 'ttl':
        return [await this.#send('POST', '/v1/facts', this.#ttl(command.fact, command.at))];
      case 'resolve':
        return this.#resolve(command);
      case 'read':
        return [await this.#send('GET', `/v1/facts/${this.#factId(command.fact)}${command.what}`)];
      case 'query':
        return this.#pages(command.path, command.search);
      case 'wait':
        await this.#node.clock.advance(command.ms);
        return [];
    }
  }

  async #resolve({ conflict, member, value }: Extract<Command, { kind: 'resolve' }>): Promise<unknown[]> {
    const listed = await this.#send('GET', '/v1/conflicts?status=all&limit=500');
    const conflicts = (listed.body['conflicts'] ?? []) as { conflict_id: string; members: string[] }[];
    const chosen = conflicts[conflict % Math.max(1, conflicts.length)];
    if (chosen === undefined) return [listed];
    const winner = chosen.members[member % chosen.members.length];
    const answer = await this.#send('POST', `/v1/conflicts/${chosen.conflict_id}/resolve`, {
      ...(value === undefined ? { winning_fact_id: winner } : { new_value: value }),
    });
    return [listed, answer];
  }

  /** Follows cursors to the last page, because cursors themselves cannot be compared between nodes. */
  async #pages(path: string, search: Readonly<Record<string, unknown>>): Promise<unknown[]> {
    const pages: unknown[] = [];
    const parameters = new URLSearchParams();
    for (const [name, one] of Object.entries(search)) parameters.set(name, String(one));
    for (;;) {
      const page = await this.#send('GET', `${path}?${parameters}`);
      const { cursor, ...rest } = page.body;
      pages.push({ ...page, body: rest, more: typeof cursor === 'string' });
      if (typeof cursor !== 'string') return pages;
      parameters.set('cursor', cursor);
    }
  }

  async #send(
    method: string,
    target: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const reply = await this.#node.request(method, target, { key: this.#key, body });
    for (const [, id = ''] of reply.text.matchAll(/"id":"([0-9a-f-]{36})"/g)) {
      if (!this.#factIds.includes(id)) this.#factIds.push(id);
    }
    return { status: reply.status, body: reply.body };
  }

  #ttl(fact: number, at: string): Body {
    const entity = `svc:fact:${this.#factId(fact)}`;
    return { entity, relation: 'svc:ttl', value: { type: 'datetime', v: at }, source: 'agent:w1' };
  }

  #factId(place: number): string {
    return this.#factIds[place % Math.max(1, this.#factIds.length)] ?? '00000000-0000-4000-8000-000000000000';
  }
}
