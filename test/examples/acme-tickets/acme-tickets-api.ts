import { defineRef, type Principal } from 'fact-memory-node/plugin';
import type { ClosedTicket } from './ticket-store.ts';

/** The abilities of callers with tickets, over HTTP, on the command line and from other plugins. */
export interface Tickets {
  /** Closes a ticket in the background. Needs `tickets.close`. Returns the id of the job; idempotent. */
  close(caller: Principal, ticket: string): Promise<string>;
  /** Closed tickets of the tenant, by name. Needs `read`. */
  closed(caller: Principal): Promise<readonly ClosedTicket[]>;
}

export const Tickets = defineRef<Tickets>('acme-tickets.tickets');
