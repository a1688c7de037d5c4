import { defineAssertionMember } from 'fact-memory-node/facts-api';
import {
  defineErrorCode,
  defineFactMark,
  definePermission,
  memberRefusal,
  orNull,
  STRING_JSON,
} from 'fact-memory-node/plugin';

/** The error code of an assertion about a closed ticket. */
export const TICKET_CLOSED = defineErrorCode('ticket_closed', {
  status: 409,
  summary: 'the ticket takes no more facts',
});

export const CLOSE_TICKETS = definePermission('tickets.close', { summary: 'close tickets' });

/** The member `ticket` of an assertion. */
export const TICKET = defineAssertionMember('ticket', {
  summary: 'the ticket that the fact was learned from, such as T-17',
  schema: { type: 'string' },
  read(input, path): string {
    if (typeof input === 'string' && TICKET_NAME.test(input)) return input;
    throw memberRefusal(path, 'must be T- and a number');
  },
});

/** The member `ticket` of a fact. */
export const FROM_TICKET = defineFactMark<string>('acme-tickets', {
  summary: 'the ticket that the fact was learned from',
  members: { ticket: orNull(STRING_JSON) },
  toJson: (ticket) => ({ ticket: ticket ?? null }),
});

export const TICKET_NAME = /^T-[0-9]{1,9}$/;
