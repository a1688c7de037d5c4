import { definePlugin, KERNEL_API } from '../../kernel/plugin-api.ts';
import { newCommand } from './new-command.ts';

export const scaffoldPlugin = definePlugin({
  name: 'scaffold',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Writes the package of a new plugin, with a test',
  commands: [newCommand],
  setup() {},
});
