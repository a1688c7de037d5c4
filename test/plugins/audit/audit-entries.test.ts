import { expect } from 'chai';
import { defineOwnPlugin, REJECTIONS_PER_MINUTE } from '../../../kernel/internal-api.ts';
import { type Facts, factAppended, type Principal, SCOPES } from '../../../kernel/plugin-api.ts';
import { ADMIN_ACTION, type AuditEntry, AuditLog, defineAuditEvent } from '../../../plugins/audit/audit-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const CALLER: Principal = {
  kind: 'key',
  entityUri: 'agent:w',
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(SCOPES),
  tenantId: 'default',
  keyId: 'k',
  oidcSub: 'sub-1',
};

const draft = (n: number): Parameters<Facts['append']>[0] => ({
  entity: 'user:a',
  relation: 'memory:n',
  value: { type: 'number', v: n, interpretAs: 'content' },
  source: 'agent:src',
  confidence: 1,
  scope: 'local',
});

const ENTRY: AuditEntry = { event: ADMIN_ACTION, tenantId: 'default', entityUri: 'agent:ops' };

/** An id of a fact that no store contains. */
const UNKNOWN_FACT = '3b4d2d50-9e0a-4b8e-9d0e-0f6f8b1f6f11';

const BEGUN = defineAuditEvent('work_begun', { summary: 'work began' });
const ENDED = defineAuditEvent('work_ended', { summary: 'work ended' });
const REFUSED = defineAuditEvent('work_refused', { summary: 'work was refused' });

/** A plugin that fails the transaction of any fact about `user:broken`, after all other writes. */
const breaker = defineOwnPlugin({
  name: 'z-breaker',
  declares: [BEGUN, ENDED, REFUSED],
  setup: ({ on }) =>
    on(
      factAppended,
      ({ facts }) => {
        if (facts.some(({ fact }) => fact.entity === 'user:broken')) throw new Error('broken on purpose');
      },
      { order: 'last' },
    ),
});

forEachStore('audit entries', () => {
  let node: TestNode;
  let auditor: string;
  let audit: AuditLog;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts', 'conflicts', breaker] });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read', 'read'] });
    audit = node.kernel.get(AuditLog);
  });
  afterEach(() => node.stop());

  const entries = async (query: string) =>
    (await node.request('GET', `/v1/auth/audit?limit=1000&${query}`, { key: auditor })).body.entries;
  const writes = async (): Promise<string[]> =>
    (await entries('event_type=fact_write')).map(({ fact_id }: { fact_id: string }) => fact_id);

  it('are written for each stored fact, including system facts', async () => {
    const writer = await node.addKey({ entityUri: 'agent:w' });
    const assert = (n: number) => {
      const body = {
        entity: 'user:a',
        relation: 'memory:n',
        value: { type: 'number', v: n % 30 },
        source: 'agent:src',
      };
      return node.request('POST', '/v1/facts', { key: writer, body });
    };
    const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => assert(n)));
    expect(new Set(replies.map(({ body }) => body.id)), 'ten are duplicates').to.have.lengthOf(30);
    const stored = await node.facts.read(CALLER, 'export', ({ snapshot }) =>
      snapshot.find({ filter: { kind: 'all', of: [] }, order: 'feed', limit: 1_000 }),
    );
    expect(stored.length, 'a conflict writes facts of its own').to.be.above(30);
    expect(await writes()).to.deep.equal(stored.map(({ id }) => id));
    expect(await entries('principal=agent:w')).to.have.length(30);
  });

  it('contain the person to whom an identity provider gave the key', async () => {
    await node.facts.append(draft(1), CALLER);
    expect((await entries('principal=agent:w'))[0]).to.include({
      oidc_sub: 'sub-1',
      source: 'agent:src',
      detail: null,
    });
  });

  it('are not written for a refused fact, or for a failed transaction', async () => {
    const failed = await Promise.allSettled([
      node.facts.append({ ...draft(1), entity: 'user:broken' }, CALLER),
      node.facts.append(draft(2), CALLER),
      node.facts.append(draft(3), { ...CALLER, allowedScopes: new Set(['public']) }),
    ]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(await writes()).to.have.length(1);
  });

  it('are committed together with the transaction that they describe', async () => {
    const record = { ...ENTRY, detail: { action: 'with_fact' } };
    await node.facts.append(draft(1), CALLER, { beforeCommit: (transaction) => audit.record(record, transaction) });
    await node.facts
      .append(draft(2), CALLER, {
        beforeCommit: async (transaction) => {
          await audit.record([record, record], transaction);
          throw new Error('rolled back');
        },
      })
      .catch(() => undefined);
    expect(await entries('principal=agent:ops')).to.have.length(1);
    expect(await writes()).to.have.length(1);
  });

  it('can be recorded outside a transaction, several in order, and found by their fact', async () => {
    const { view } = await node.facts.append(draft(1), CALLER);
    await audit.record([
      { ...ENTRY, event: BEGUN, factId: view.fact.id, detail: { step: 1 } },
      { ...ENTRY, event: ENDED, factId: view.fact.id, source: 'agent:s', oidcSub: 'o' },
      { ...ENTRY, factId: UNKNOWN_FACT },
    ]);
    await audit.record([]);
    const { body } = await node.request('GET', `/v1/audit/facts/${view.fact.id}`, { key: auditor });
    const events = body.map(({ event_type }: { event_type: string }) => event_type);
    expect(events).to.deep.equal(['fact_write', 'work_begun', 'work_ended']);
    expect(body[2]).to.include({ source: 'agent:s', oidc_sub: 'o', fact_entity: 'user:a' });
    expect(await entries('principal=agent:ops')).to.have.length(3);
    const ofUnknown = await node.request('GET', `/v1/audit/facts/${UNKNOWN_FACT}`, { key: auditor });
    expect(ofUnknown.body).to.have.length(1);
    expect(ofUnknown.body[0]).to.include({ event_type: 'admin_action', fact_entity: null });
  });

  it('in one call must all belong to one tenant, also within a transaction', async () => {
    const mixed = [ENTRY, { ...ENTRY, tenantId: 't2' }];
    const within = node.facts.append(draft(1), CALLER, {
      beforeCommit: (transaction) => audit.record(mixed, transaction),
    });
    for (const refused of [audit.record(mixed), within]) {
      expect((await rejection(refused)).message).to.equal('entries recorded together belong to one tenant');
    }
    expect(await entries('principal=agent:ops')).to.deep.equal([]);
  });

  it('must have a declared event type', async () => {
    const event = defineAuditEvent('work_forgotten', { summary: 'nobody declares it' });
    for (const refused of [audit.record({ ...ENTRY, event }), audit.recordRejection({ ...ENTRY, event })]) {
      expect((await rejection(refused)).message).to.include('no enabled plugin declares it');
    }
    expect(await entries('event_type=work_forgotten')).to.deep.equal([]);
  });

  it('for refused requests are limited in number, and the omitted ones are counted', async () => {
    const refusal: AuditEntry = { ...ENTRY, event: REFUSED, detail: { dimension: 'recall' } };
    for (let n = 0; n < REJECTIONS_PER_MINUTE + 3; n += 1) await audit.recordRejection(refusal);
    expect(await entries('event_type=work_refused')).to.have.length(REJECTIONS_PER_MINUTE);
    await node.clock.advance(60_000);
    await audit.recordRejection(refusal);
    expect((await entries('event_type=work_refused')).at(-1).detail).to.deep.equal({
      dimension: 'recall',
      suppressed: 3,
    });
  });

  it('stay assigned to their own facts when the clock is set back', async () => {
    const first = await node.facts.append(draft(1), CALLER);
    node.clock.setNowMs(node.clock.nowMs() - 3_600_000);
    const second = await node.facts.append({ ...draft(1), relation: 'memory:later' }, CALLER);
    for (const { view } of [first, second]) {
      const { body } = await node.request('GET', `/v1/audit/facts/${view.fact.id}`, { key: auditor });
      expect(body.map(({ fact_id }: { fact_id: string }) => fact_id)).to.deep.equal([view.fact.id]);
    }
    expect(await writes()).to.deep.equal([first.view.fact.id, second.view.fact.id]);
  });
});
