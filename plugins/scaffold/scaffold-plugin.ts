import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { newCommand } from './new-command.ts';

export const scaffoldPlugin = defineOwnPlugin({
  name: 'scaffold',
  summary: 'Writes the package of a new plugin, with a test',
  commands: [newCommand],
  setup() {},
});
