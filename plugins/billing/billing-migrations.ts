import { equals, type Migration, type MigrationData } from '../../kernel/plugin-api.ts';

export const billingMigrations: readonly Migration[] = [
  {
    number: 14,
    name: 'billing_events',
    async up({ schema, dialect }) {
      await schema.createTable('billing_events', (table) => {
        dialect.numberRows(table, 'seq', { deletesRows: false });
        table.text('tenant_id').notNullable();
        table.text('event_type').notNullable();
        table.text('entity_uri').notNullable();
        table.text('fact_id');
        table.text('garden_id');
        table.bigInteger('ts_ms').notNullable();
        table.index(['tenant_id', 'seq'], 'billing_events_tenant');
      });
      await schema.createTable('billing_positions', (table) => {
        table.text('tenant_id').primary();
        table.bigInteger('seq').notNullable();
      });
    },
  },
  {
    number: 44,
    name: 'billing_of_the_ledger',
    /**
     * Facts that are charged for carry a tag by now, so their events go. A garden takes a place between the numbers of
     * the facts before and behind it: whole numbers are all taken there, which is why `seq` has a fraction.
     */
    async up({ schema, data }) {
      const gardens = await gardensIn(data);
      const positions = await positionsIn(data, gardens);
      await schema.dropTable('billing_events');
      await schema.dropTable('billing_positions');
      await schema.createTable('billing_gardens', (table) => {
        table.text('tenant_id').notNullable();
        table.double('seq').notNullable();
        table.text('entity_uri').notNullable();
        table.text('garden_id').notNullable();
        table.bigInteger('ts_ms').notNullable();
        table.primary(['tenant_id', 'seq']);
      });
      await schema.createTable('billing_positions', (table) => {
        table.text('tenant_id').primary();
        table.double('seq').notNullable();
        table.bigInteger('facts').notNullable();
      });
      if (gardens.length > 0)
        await data.insertRows(
          'billing_gardens',
          gardens.map(({ row }) => row),
        );
      if (positions.length > 0) await data.insertRows('billing_positions', positions);
    },
  },
];

/** Gardens between two facts that keep apart from each other. A number this fine is exact up to 2^33 facts. */
const STEP = 2 ** -20;

interface OldEvent {
  readonly seq: number;
  readonly tenant_id: string;
  readonly entity_uri: string;
  readonly fact_id: string | null;
  readonly garden_id: string | null;
  readonly ts_ms: number;
}

interface MovedGarden {
  readonly oldSeq: number;
  readonly row: {
    readonly tenant_id: string;
    readonly seq: number;
    readonly entity_uri: string;
    readonly garden_id: string;
    readonly ts_ms: number;
  };
}

/** The gardens of all tenants with their new places, in the order of their events. */
const gardensIn = async (data: MigrationData): Promise<MovedGarden[]> => {
  const events = (await data
    .table('billing_events')
    .where('event_type', 'garden_created')
    .orderBy('seq')) as OldEvent[];
  const newest = new Map<string, number>();
  const moved: MovedGarden[] = [];
  for (const { seq: oldSeq, tenant_id, entity_uri, garden_id, ts_ms } of events) {
    const fact = await numberUpTo(data, tenant_id, oldSeq);
    const seq = Math.max(fact, newest.get(tenant_id) ?? 0) + STEP;
    newest.set(tenant_id, seq);
    moved.push({ oldSeq, row: { tenant_id, seq, entity_uri, garden_id: String(garden_id), ts_ms } });
  }
  return moved;
};

/** Positions behind the newest event that was delivered, so that none is delivered again and none is passed. */
const positionsIn = async (data: MigrationData, gardens: readonly MovedGarden[]) => {
  const rows = (await data.table('billing_positions')) as { tenant_id: string; seq: number }[];
  return Promise.all(
    rows.map(async ({ tenant_id: tenantId, seq: oldSeq }) => {
      const fact = await numberUpTo(data, tenantId, oldSeq);
      const isDelivered = ({ oldSeq: at, row }: MovedGarden) => row.tenant_id === tenantId && at <= oldSeq;
      const garden = gardens.findLast(isDelivered)?.row.seq ?? 0;
      const facts = await data.ledgerCount({ tenantId, tag: 'billing', below: fact + 1 });
      return { tenant_id: tenantId, seq: Math.max(fact, garden), facts };
    }),
  );
};

/** Number of the newest fact with an event up to `seq`; 0 where there is none. */
const numberUpTo = async (data: MigrationData, tenantId: string, seq: number): Promise<number> => {
  const [event] = (await data
    .table('billing_events')
    .where('tenant_id', tenantId)
    .where('seq', '<=', seq)
    .whereNotNull('fact_id')
    .orderBy('seq', 'desc')
    .limit(1)) as OldEvent[];
  if (event === undefined) return 0;
  const [fact] = await data.ledger({
    tenantId,
    filter: equals('id', String(event.fact_id)),
    order: 'newest',
    limit: 1,
  });
  return fact?.number ?? 0;
};
