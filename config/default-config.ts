import type { NodeConfigInput } from './read-config-file.ts';

/** What a node is made of where its file says nothing. Values of settings are the defaults in their schemas, not here. */
export const DEFAULT_CONFIG: NodeConfigInput = {
  adapters: { store: { use: 'sqlite' }, transport: { use: 'koa' } },
  plugins: {
    audit: true,
    billing: true,
    conflicts: true,
    facts: true,
    keys: true,
    'node-info': true,
  },
};
