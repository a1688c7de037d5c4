import { expect } from 'chai';
import { ADMIN_ACTION, AuditLog } from '../../../../plugins/audit/audit-api.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import type { TestNode } from '../../../kit/start-test-node.ts';
import { tamper } from '../../../kit/tamper.ts';
import type { TestReply } from '../../../kit/test-request.ts';
import { assertFact, checkpointed, recordActs, startAuditNode, verified } from './audit-chain-node.ts';

const DAY_MS = 86_400_000;
const LOOKS_PER_STEP = 5;

/** Changes to a log whose oldest entries were deleted, each with the reported `problem`. */
const ATTACKS = {
  "UPDATE audit_stubs SET floor_ms = floor_ms + 1 WHERE tenant_id = 'T'":
    'what is left of deleted entries has no good signature',
  "DELETE FROM audit_stubs WHERE tenant_id = 'T'": 'an entry is missing',
  "DELETE FROM audit_entries WHERE tenant_id = 'T' AND chain_seq = 3": 'an entry is missing',
  "UPDATE audit_entries SET seq = 1 WHERE tenant_id = 'T' AND chain_seq = 4": 'an entry is missing',
} as const;

forEachStore('audit entries older than the retention period', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startAuditNode({
      plugins: ['audit', 'facts', 'node-info'],
      settings: { audit: { retentionDays: 30 } },
    });
  });
  afterEach(() => node.stop());

  const passDays = (days: number): void => node.clock.setNowMs(node.clock.nowMs() + days * DAY_MS);
  const stubOf = async (tenantId: string) => (await verified(node, tenantId)).stub;
  /** Waits until this number of entries is deleted. */
  const gone = async (count: number, tenantId = 'acme'): Promise<void> => {
    let looks = 0;
    await comesTrue(async () => {
      if ((await stubOf(tenantId))?.['count'] === count) return true;
      if (looks % LOOKS_PER_STEP === 0) await node.clock.advance(10_000);
      looks += 1;
      return false;
    });
  };
  const keyOf = (permissions: readonly string[]): Promise<string> =>
    node.addKey({ entityUri: 'agent:auditor', permissions, tenantId: 'acme' });
  const names = ({ body }: TestReply): string[] =>
    body.entries.map(({ fact_id, detail }: { fact_id: string | null; detail: { name?: string } | null }) =>
      fact_id === null ? (detail?.name ?? 'key') : 'fact',
    );

  it('are deleted together with entries of facts, while the remaining log still verifies', async () => {
    await recordActs(node, ['a', 'b'], 'acme');
    const old = await assertFact(node, 'one', 'acme');
    await checkpointed(node, 'acme');
    passDays(20);
    await recordActs(node, ['c'], 'acme');
    const young = await assertFact(node, 'two', 'acme');
    await checkpointed(node, 'acme');
    passDays(15);
    await gone(2);
    const key = await keyOf(['audit.read', 'read']);
    const log = await node.request('GET', '/v1/auth/audit', { key });
    expect(names(log).filter((name) => name !== 'key')).to.deep.equal(['c', 'fact']);
    expect(log.body.total).to.equal(log.body.entries.length);
    const list = await node.request('GET', '/v1/audit?event_type=fact_write', { key });
    expect([list.body.total, list.body.entries[0].fact_id]).to.deep.equal([1, young.view.fact.id]);
    for (const [id, count] of [
      [old.view.fact.id, 0],
      [young.view.fact.id, 1],
    ] as const) {
      expect((await node.request('GET', `/v1/audit/facts/${id}`, { key })).body, id).to.have.length(count);
    }
    expect((await node.request('GET', `/v1/facts/${old.view.fact.id}`, { key })).status, 'the fact itself').to.equal(
      200,
    );
    const { problem, stub, place } = await verified(node, 'acme');
    expect([problem, stub?.['covered_chain_seq']]).to.deep.equal([undefined, 2]);
    expect(place?.link.seq).to.be.above(2);
  });

  it('are deleted even if no other entry is left, and the next entry continues the chain', async () => {
    await recordActs(node, ['a', 'b'], 'acme');
    await checkpointed(node, 'acme');
    passDays(40);
    await gone(2);
    expect((await verified(node, 'acme')).checked).to.equal(0);
    await recordActs(node, ['c'], 'acme');
    await checkpointed(node, 'acme');
    const { problem, checked, head, checkpoint } = await verified(node, 'acme');
    expect([problem, checked, head?.link.seq, checkpoint?.['log_index']]).to.deep.equal([undefined, 1, 3, 1]);
  });

  it('are deleted in batches, each of which leaves a valid log', async () => {
    const many = 2_300;
    const entry = { event: ADMIN_ACTION, tenantId: 'acme', entityUri: 'agent:ops' };
    await node.kernel.get(AuditLog).record(Array.from({ length: many }, () => entry));
    await checkpointed(node, 'acme');
    passDays(31);
    await recordActs(node, ['young'], 'acme');
    await gone(many);
    const { problem, head } = await verified(node, 'acme');
    expect([problem, head?.link.seq]).to.deep.equal([undefined, many + 1]);
  });

  it('are not deleted if one of them was changed', async () => {
    await recordActs(node, ['a', 'b', 'c'], 'acme');
    await recordActs(node, ['d'], 'other');
    await checkpointed(node, 'acme');
    await checkpointed(node, 'other');
    await tamper(node, `UPDATE audit_entries SET detail = NULL WHERE tenant_id = 'acme' AND chain_seq = 2`);
    passDays(31);
    await gone(1, 'other');
    await comesTrue(() => node.logLines.some(({ message }) => message.startsWith('old audit entries are kept')));
    const { stub, problem } = await verified(node, 'acme');
    expect([stub?.['count'], problem?.chainSeq]).to.deep.equal([0, 2]);
  });

  it('leave a signed summary of the deleted entries that cannot be changed without detection', async () => {
    for (const [at, [sql, reason]] of Object.entries(ATTACKS).entries()) {
      const tenantId = `tenant-${at}`;
      await recordActs(node, ['a', 'b'], tenantId);
      await checkpointed(node, tenantId);
      passDays(31);
      await recordActs(node, ['c', 'd', 'e'], tenantId);
      await gone(2, tenantId);
      expect((await verified(node, tenantId)).problem).to.equal(undefined);
      await tamper(node, sql.replace("'T'", `'${tenantId}'`));
      expect((await verified(node, tenantId)).problem?.reason, sql).to.equal(reason);
    }
  });
});

forEachStore('audit entries of a node without retention', () => {
  it('are never deleted', async () => {
    const node = await startAuditNode();
    await recordActs(node, ['a']);
    await checkpointed(node);
    node.clock.setNowMs(node.clock.nowMs() + 20_000 * DAY_MS);
    await recordActs(node, ['b']);
    await checkpointed(node);
    const { stub, checked, problem } = await verified(node);
    expect([stub, checked, problem]).to.deep.equal([null, 2, undefined]);
    await node.stop();
  });
});
