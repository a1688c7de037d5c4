import { definePlugin, KERNEL_API, NODE_VERSION } from '../../kernel/plugin-api.ts';
import { BUILTIN_FORMATS } from './builtin-formats.ts';
import { importFromCommand } from './import-from-command.ts';

export const importersPlugin = definePlugin({
  name: 'importers',
  version: NODE_VERSION,
  kernelApi: KERNEL_API,
  summary: 'Imports the exports of other memory and chat products',
  declares: BUILTIN_FORMATS,
  commands: [importFromCommand],
  setup() {
    // The command uses a running node over HTTP, so a node has nothing to set up.
  },
});
