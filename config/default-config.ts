import type { NodeConfigInput } from './read-config-file.ts';

/**
 * What a node is made of where its file says nothing. Values of settings are the defaults in their schemas, not here.
 */
export const DEFAULT_CONFIG: NodeConfigInput = {
  adapters: {
    store: { use: 'sqlite' },
    transport: { use: 'koa' },
    embedder: { use: 'hashing' },
    clock: { use: 'system' },
  },
  plugins: {
    attestation: true,
    audit: true,
    backup: true,
    billing: true,
    'capability-tokens': true,
    cards: true,
    conflicts: true,
    decay: true,
    'fact-chain': true,
    facts: true,
    federation: true,
    gardens: true,
    graph: true,
    instructions: true,
    jobs: true,
    keys: true,
    lint: true,
    metrics: true,
    'multi-tenant': true,
    namespaces: true,
    'node-info': true,
    oidc: true,
    openapi: true,
    'rate-limits': true,
    recall: true,
    search: true,
    'source-trust': true,
    subscriptions: true,
    synthesis: true,
    'time-travel': true,
    tombstones: true,
    tracing: true,
    transfer: true,
    upkeep: true,
  },
};
