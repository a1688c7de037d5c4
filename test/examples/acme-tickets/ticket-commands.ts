import { type CommandGroup, defineCommand } from 'fact-memory-node/commands';
import { DEFAULT_TENANT, NodeSelf, nodePrincipal } from 'fact-memory-node/plugin';
import { Tickets } from './acme-tickets-api.ts';

const closedCommand = defineCommand({
  name: 'closed',
  summary: 'list closed tickets and the facts that came from each',
  needs: 'node',
  requires: { tickets: Tickets, self: NodeSelf },
  async run({ use: { tickets, self }, stdout, table }) {
    const closed = await tickets.closed(nodePrincipal(self.names, DEFAULT_TENANT));
    const rows = closed.map(({ ticket, facts }) => [ticket, String(facts)]);
    stdout.write(table([['TICKET', 'FACTS'], ...rows], { titled: true }));
  },
});

export const ticketCommands: CommandGroup = {
  name: 'tickets',
  summary: 'tickets that facts were learned from',
  commands: [closedCommand],
};
