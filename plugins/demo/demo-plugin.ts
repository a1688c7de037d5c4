import { definePlugin, KERNEL_API } from '../../kernel/plugin-api.ts';
import { demoCommand } from './demo-command.ts';

export const demoPlugin = definePlugin({
  name: 'demo',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'A command that walks through what a memory does, by a made-up team',
  commands: [demoCommand],
  setup() {},
});
