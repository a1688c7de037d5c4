import { expect } from 'chai';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { PluginTables, PluginTransaction } from '../../../kernel/plugin-api.ts';
import { createConflictEntities } from '../../../plugins/conflicts/conflict-entities.ts';
import { conflictsPlugin } from '../../../plugins/conflicts/conflicts-plugin.ts';
import { sweepNotes } from '../../../plugins/conflicts/erase-conflicts.ts';
import { ExplainedStatements } from '../../kit/explained-statements.ts';

const BY_ENTITY = 'conflicts_records_by_entity (tenant_id=? AND entity_key=?';

describe('the query plan of SQLite for the conflicts over one entity (I21)', () => {
  const names = createServiceNames('svc');
  const transaction = {} as PluginTransaction;
  let statements: ExplainedStatements;
  let tables: PluginTables;
  before(async () => {
    statements = await ExplainedStatements.of(conflictsPlugin);
    tables = { in: () => statements.tables } as unknown as PluginTables;
  });
  after(() => statements.stop());

  it('finds them for a tombstone without the other conflicts of the tenant', async () => {
    await createConflictEntities(tables, names).about(transaction, 'default', 'user:gone', { limit: 9 });
    const [plan, ...more] = statements.plans();
    expect(plan).to.include(`${BY_ENTITY} AND conflict_id>?)`).and.not.include('TEMP B-TREE');
    expect(more).to.deep.equal([]);
  });

  it('finds each page of them for an erasure without the others, and sorts none', async () => {
    const erasure = { tenantId: 'default', entityKey: 'user:gone', scopes: ['company'] } as const;
    await sweepNotes(tables, names).step(erasure as never, 'a', transaction);
    const [plan, ...more] = statements.plans();
    expect(plan).to.include(`${BY_ENTITY} AND conflict_id>?)`).and.not.include('TEMP B-TREE');
    expect(more).to.deep.equal([]);
  });
});
