import { expect } from 'chai';
import { ADMIN_ACTION, Audit, AuditLog, type EntryWithFact } from '../../../plugins/audit/audit-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const auditor = createPrincipal({ entityUri: 'agent:auditor', permissions: new Set(['audit.read']) });
const reader = createPrincipal({ permissions: new Set(['read']) });
const writer = createPrincipal({ entityUri: 'agent:writer', permissions: new Set(['write']) });

const eventsOf = (entries: readonly EntryWithFact[]) => entries.map(({ entry }) => entry.event);

describe('reading the audit log without HTTP', () => {
  let node: TestNode;
  let audit: Audit;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'audit', 'facts'] });
    audit = node.kernel.get(Audit);
    const value = { type: 'string', v: 'archivist', interpretAs: 'content' } as const;
    const draft = { entity: 'user:a', relation: 'memory:role', value, source: 'agent:s', confidence: 1 };
    await node.facts.append({ ...draft, scope: 'local' }, writer);
    for (const entityUri of [reader.entityUri, 'agent:other', 'agent:other']) {
      await node.clock.advance(1);
      await node.kernel.get(AuditLog).record({ event: ADMIN_ACTION, tenantId: 'default', entityUri });
    }
  });
  afterEach(() => node.stop());

  it('pages through the log in the order of its numbers', async () => {
    const first = await audit.log(auditor, {}, { limit: 3 });
    expect(first).to.include({ total: 4, more: true });
    const rest = await audit.log(auditor, {}, { afterSeq: first.entries.at(-1)?.seq ?? 0 });
    expect(rest).to.include({ total: 4, more: false });
    expect([...first.entries, ...rest.entries].map(({ event }) => event)).to.deep.equal([
      'fact_write',
      'admin_action',
      'admin_action',
      'admin_action',
    ]);
  });

  it('shows all entries to a caller with audit.read, but facts only with the read permission', async () => {
    const { entries, total } = await audit.entries(auditor, { event: 'fact_write' });
    expect(total).to.equal(1);
    expect(entries[0]?.fact).to.equal(undefined);
    const both = createPrincipal({ permissions: new Set(['read', 'audit.read']) });
    const [seen] = (await audit.entries(both, { event: 'fact_write' })).entries;
    expect(seen?.fact?.entity).to.equal('user:a');
    expect((await audit.ofFact(both, seen?.fact?.id ?? '')).entries).to.deep.equal([seen]);
  });

  it('shows a caller with only the read permission its own entries', async () => {
    const { entries, total, more } = await audit.entries(reader, {});
    expect([entries.length, total, more]).to.deep.equal([1, 1, false]);
    expect((await audit.entries(reader, { entityUri: 'agent:other' })).entries).to.deep.equal([]);
  });

  it('exports the same entries as the list', async () => {
    const exported: EntryWithFact[] = [];
    for await (const entries of audit.export(auditor, {})) exported.push(...entries);
    expect(exported).to.deep.equal((await audit.entries(auditor, {})).entries);
    expect(eventsOf(exported).at(-1)).to.equal('fact_write');
  });

  it('is refused to callers without the permission', async () => {
    expect(await rejection(audit.log(reader, {}))).to.include({ code: 'authorization', status: 403 });
    expect(await rejection(audit.entries(writer, {}))).to.include({ code: 'authorization' });
    expect(await rejection(audit.ofFact(writer, 'x'))).to.include({ code: 'authorization' });
    expect(thrownError(() => audit.export(writer, {}))).to.include({ code: 'authorization' });
    expect(await rejection(audit.log(auditor, {}, { limit: 1_001 }))).to.include({ code: 'validation' });
  });
});
