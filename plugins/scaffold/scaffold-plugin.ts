import { NODE_VERSION } from '../../kernel/internal-api.ts';
import { definePlugin, KERNEL_API } from '../../kernel/plugin-api.ts';
import { newCommand } from './new-command.ts';

export const scaffoldPlugin = definePlugin({
  name: 'scaffold',
  version: NODE_VERSION,
  kernelApi: KERNEL_API,
  summary: 'Writes the package of a new plugin, with a test',
  commands: [newCommand],
  setup() {},
});
