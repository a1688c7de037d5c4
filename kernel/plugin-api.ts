/** All that a plugin may import of the kernel, and of the ports through it. Re-exports only. */
export * from '../ports/ports.ts';
export * from './crypto/random.ts';
export * from './facts/facts-api.ts';
export * from './hooks/define-hook.ts';
export * from './hooks/kernel-hooks.ts';
export { Cursors } from './http/cursors.ts';
export * from './identity/node-self.ts';
export type { LogFields, Logger } from './log/logger.ts';
export * from './plugins/config-schema.ts';
export * from './plugins/plugin-definition.ts';
export * from './plugins/route-definition.ts';
