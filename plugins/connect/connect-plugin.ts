import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { connectCommand } from './connect-command.ts';
import { connectClientsRoute } from './connect-routes.ts';
import { disconnectCommand } from './disconnect-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { hookCommands } from './hooks/hook-commands.ts';

export const connectPlugin = defineOwnPlugin({
  name: 'connect',
  summary: 'Commands that connect editors and agents to a node, and the hooks that those run',
  commands: [connectCommand, disconnectCommand, doctorCommand, hookCommands],
  setup({ route }) {
    route(connectClientsRoute);
  },
});
