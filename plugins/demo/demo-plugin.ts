import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { demoCommand } from './demo-command.ts';

export const demoPlugin = defineOwnPlugin({
  name: 'demo',
  summary: 'A command that walks through what a memory does, by a made-up team',
  commands: [demoCommand],
  setup() {},
});
