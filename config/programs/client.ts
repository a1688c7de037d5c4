import { CLIENT_COMMANDS } from '../client-commands.ts';
import { runClient } from '../run-client.ts';

await runClient(CLIENT_COMMANDS);
