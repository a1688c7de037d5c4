import { defineRef, type Principal } from 'fact-memory-node/plugin';
import type { ClosedTicket } from './ticket-store.ts';

/** The use cases of tickets, over HTTP, on the command line and from other plugins. */
export interface Tickets {
  /** Closes a ticket in the background. Requires `tickets.close`. Returns the id of the job; idempotent. */
  close(caller: Principal, ticket: string): Promise<string>;
  /** Returns the closed tickets of the tenant, sorted by name. Requires `read`. */
  closed(caller: Principal): Promise<readonly ClosedTicket[]>;
}

export const Tickets = defineRef<Tickets>('acme-tickets.tickets');
