import { mcpCommand } from '../../plugins/mcp/mcp-command.ts';
import { runClient } from '../run-client.ts';

await runClient([{ plugin: 'mcp', enabled: true, command: mcpCommand }]);
