import { JobQueue } from 'fact-memory-node/jobs-api';
import {
  appendJudge,
  definePlugin,
  factAppended,
  noteOf,
  objectOf,
  readAnnotate,
  requirePermission,
  ServiceError,
  STRING_JSON,
  schema,
  withMark,
} from 'fact-memory-node/plugin';
import { Tickets } from './acme-tickets-api.ts';
import { ticketCommands } from './ticket-commands.ts';
import { TicketStore, ticketMigrations } from './ticket-store.ts';
import { CLOSE_TICKETS, FROM_TICKET, TICKET, TICKET_CLOSED, TICKET_NAME } from './ticket-words.ts';

const CLOSE_JOB = 'acme-tickets.close';

/**
 * Example of a complete feature: facts name the ticket that they come from, and a closed ticket accepts no more facts.
 * It adds an error code, a permission, members, a table, a route, a command and a job.
 */
export const acmeTickets = definePlugin({
  name: 'acme-tickets',
  version: '1.0.0',
  kernelApi: 1,
  summary: 'Facts name the ticket that they were learned from',
  requires: { jobs: JobQueue },
  provides: [Tickets],
  declares: [TICKET_CLOSED, CLOSE_TICKETS, TICKET, FROM_TICKET],
  migrations: ticketMigrations,
  commands: [ticketCommands],
  setup({ use, tables, on, provide, route }) {
    const store = new TicketStore(tables);

    on(appendJudge, async ({ items, transaction }) => {
      const named = items.flatMap((item) => {
        const ticket = noteOf(item.notes, TICKET.note);
        return ticket === undefined ? [] : [{ item, ticket, tenantId: item.fact.tenantId }];
      });
      const [first] = named;
      if (first === undefined) return;
      const tickets = [...new Set(named.map(({ ticket }) => ticket))];
      // All facts of a transaction belong to one tenant.
      const closed = await store.closedAmong(tables.in(transaction), first.tenantId, tickets);
      for (const { item, ticket } of named) {
        if (!closed.has(ticket)) continue;
        item.reject(new ServiceError(TICKET_CLOSED, 'the ticket is closed; name an open one'));
      }
    });

    on(factAppended, async ({ facts, transaction }) => {
      const ticketed = facts.flatMap(({ fact, notes }) => {
        const ticket = noteOf(notes, TICKET.note);
        return ticket === undefined ? [] : [{ factId: fact.id, tenantId: fact.tenantId, ticket }];
      });
      await store.record(transaction, ticketed);
      return undefined;
    });

    on(readAnnotate, async (views, { snapshot }) => {
      const tickets = await store.ticketsOf(
        tables.in(snapshot),
        views.map(({ fact }) => fact.id),
      );
      return views.map((view) => {
        const ticket = tickets.get(view.fact.id);
        return ticket === undefined ? view : withMark(view, FROM_TICKET, ticket);
      });
    });

    use.jobs.handle(CLOSE_JOB, {
      async run(job) {
        const ticket = String(job.payload['ticket']);
        const facts = await job.write((transaction) => store.close(transaction, job.tenantId, ticket));
        return { facts };
      },
    });

    const tickets: Tickets = {
      async close(caller, ticket) {
        requirePermission(caller, CLOSE_TICKETS);
        const { tenantId, entityUri: creator } = caller;
        const dedupe = { key: ticket, until: 'ended' } as const;
        return use.jobs.enqueue({ type: CLOSE_JOB, tenantId, creator, payload: { ticket }, dedupe });
      },
      async closed(caller) {
        requirePermission(caller, 'read');
        return store.closed(caller.tenantId);
      },
    };
    provide(Tickets, tickets);

    route({
      method: 'POST',
      path: '/v1/tickets/:ticket/close',
      summary: 'Close a ticket',
      access: { permission: CLOSE_TICKETS },
      bodyForm: 'none',
      params: schema<{ readonly ticket: string }>({
        type: 'object',
        properties: { ticket: { type: 'string', pattern: TICKET_NAME.source } },
      }),
      answers: { 202: { json: objectOf({ job_id: STRING_JSON }) } },
      handle: async ({ caller, params }) => ({
        status: 202,
        body: { job_id: await tickets.close(caller, params.ticket) },
      }),
    });
  },
});
