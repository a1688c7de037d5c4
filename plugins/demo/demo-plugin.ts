import { NODE_VERSION } from '../../kernel/internal-api.ts';
import { definePlugin, KERNEL_API } from '../../kernel/plugin-api.ts';
import { demoCommand } from './demo-command.ts';

export const demoPlugin = definePlugin({
  name: 'demo',
  version: NODE_VERSION,
  kernelApi: KERNEL_API,
  summary: 'A command that walks through what a memory does, by a made-up team',
  commands: [demoCommand],
  setup() {},
});
