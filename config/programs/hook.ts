import { hookCommands } from '../../plugins/connect/hooks/hook-commands.ts';
import { runClient } from '../run-client.ts';

await runClient([{ plugin: 'connect', enabled: true, command: hookCommands }]);
