import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const ENTITIES = ['agent:a', 'agent:b', 'agent:c'] as const;
const SECONDS = 1_000;

interface ModelKey {
  readonly raw: string;
  readonly id: string;
  readonly entity: string;
  readonly expiresMs: number;
  revoked: boolean;
}

type Step =
  | { readonly kind: 'register'; readonly entity: number; readonly lifeSeconds: number }
  | { readonly kind: 'revoke'; readonly by: number; readonly which: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('register' as const),
    entity: fc.nat({ max: ENTITIES.length - 1 }),
    lifeSeconds: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({ kind: fc.constant('revoke' as const), by: fc.nat(), which: fc.nat() }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 15 }) }),
);

/** Every run starts without active keys, because earlier runs have let their keys expire. */
forEachStore('API keys under random operations, beside a simple model', () => {
  let node: TestNode;
  let drawn = 0;
  before(async () => {
    node = await startTestNode({ plugins: ['keys'] });
  });
  after(() => node.stop());

  const play = async (steps: readonly Step[]): Promise<void> => {
    await node.clock.advance(100 * SECONDS);
    const admin = await node.addKey({ entityUri: 'agent:ops', permissions: ['read', 'write', 'admin'] });
    const keys: ModelKey[] = [];
    const isActive = (key: ModelKey) => !key.revoked && key.expiresMs > node.clock.nowMs();
    for (const taken of steps) {
      if (taken.kind === 'wait') await node.clock.advance(taken.seconds * SECONDS);
      else if (taken.kind === 'register') {
        const entity = ENTITIES[taken.entity] as string;
        const raw = `model-${String(++drawn).padStart(40, '0')}`;
        const expiresMs = node.clock.nowMs() + taken.lifeSeconds * SECONDS;
        const body = { raw_key: raw, entity_uri: entity, expires_at: new Date(expiresMs).toISOString() };
        const reply = await node.request('POST', '/v1/auth/keys', { key: admin, body });
        expect(reply.status).to.equal(201);
        keys.push({ raw, id: reply.body.id, entity, expiresMs, revoked: false });
      } else if (keys.length > 0) {
        const by = keys[taken.by % keys.length] as ModelKey;
        const target = keys[taken.which % keys.length] as ModelKey;
        const reply = await node.request('DELETE', `/v1/auth/keys/${target.id}`, { key: by.raw });
        const allowed = isActive(by) && by.entity === target.entity;
        expect(reply.status).to.equal(isActive(by) ? (allowed ? 204 : 404) : 401);
        if (allowed) target.revoked = true;
      }
    }
    for (const key of keys) {
      const reply = await node.request('GET', '/v1/auth/keys', { key: key.raw });
      expect(reply.status).to.equal(isActive(key) ? 200 : 401);
      if (reply.status !== 200) continue;
      const expected = keys.filter((other) => other.entity === key.entity && isActive(other)).map(({ id }) => id);
      expect(reply.body.map(({ id }: { id: string }) => id)).to.have.members(expected);
    }
    const { body } = await node.request('GET', '/v1/auth/keys/expiring-soon?within_days=1', { key: admin });
    const soon = keys.filter(isActive).map(({ id }) => id);
    expect(body.map(({ id }: { id: string }) => id)).to.have.members(soon);
    const days: number[] = body.map((key: { days_remaining: number }) => key.days_remaining);
    expect(days).to.deep.equal([...days].sort((a, b) => a - b));
  };

  it('are listed and accepted exactly while they are active, and only for their own entity', () =>
    fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 20 }), play), { numRuns: Math.ceil(RUNS / 5) })).timeout(
    30_000,
  );
});
