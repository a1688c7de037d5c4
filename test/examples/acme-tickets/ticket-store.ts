import type { Migration, PluginTables, PluginTransaction, ReadableTables } from 'fact-memory-node/plugin';

const FACTS = 'acme_tickets_facts';
const CLOSED = 'acme_tickets_closed';

export const ticketMigrations: readonly Migration[] = [
  {
    number: 1_000_001,
    name: 'acme_tickets',
    async up({ schema }) {
      await schema.createTable(FACTS, (table) => {
        table.text('fact_id').primary();
        table.text('tenant_id').notNullable();
        table.text('ticket').notNullable();
        table.index(['tenant_id', 'ticket'], 'acme_tickets_facts_ticket');
      });
      await schema.createTable(CLOSED, (table) => {
        table.text('tenant_id').notNullable();
        table.text('ticket').notNullable();
        table.integer('facts').notNullable();
        table.primary(['tenant_id', 'ticket']);
      });
    },
  },
];

export interface ClosedTicket {
  readonly ticket: string;
  /** The number of facts of the ticket when it was closed. */
  readonly facts: number;
}

/** Stores which facts came from which ticket, and which tickets are closed. */
export class TicketStore {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  async record(transaction: PluginTransaction, facts: readonly Ticketed[]): Promise<void> {
    const rows = facts.map(({ factId, tenantId, ticket }) => ({ fact_id: factId, tenant_id: tenantId, ticket }));
    if (rows.length > 0) await this.#tables.in(transaction).insertRows(FACTS, rows);
  }

  /** Returns the ticket of each fact that came from one, by fact id. */
  async ticketsOf(own: ReadableTables, factIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await own.select(FACTS, { fact_id: factIds });
    return new Map(rows.map((row) => [String(row['fact_id']), String(row['ticket'])]));
  }

  async closedAmong(own: ReadableTables, tenantId: string, tickets: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await own.select(CLOSED, { tenant_id: tenantId, ticket: tickets });
    return new Set(rows.map((row) => String(row['ticket'])));
  }

  /** Closes a ticket once; later calls change nothing. Returns the number of its facts. */
  async close(transaction: PluginTransaction, tenantId: string, ticket: string): Promise<number> {
    const own = this.#tables.in(transaction);
    const facts = (await own.select(FACTS, { tenant_id: tenantId, ticket })).length;
    const closed = await this.closedAmong(own, tenantId, [ticket]);
    if (!closed.has(ticket)) await own.insertRows(CLOSED, [{ tenant_id: tenantId, ticket, facts }]);
    return facts;
  }

  closed(tenantId: string): Promise<readonly ClosedTicket[]> {
    return this.#tables.read(async (own) => {
      const rows = await own.select(CLOSED, { tenant_id: tenantId });
      const tickets = rows.map((row) => ({ ticket: String(row['ticket']), facts: Number(row['facts']) }));
      return tickets.sort((a, b) => (a.ticket < b.ticket ? -1 : 1));
    });
  }
}

export interface Ticketed {
  readonly factId: string;
  readonly tenantId: string;
  readonly ticket: string;
}
