/** The five ports and the vocabulary they share: all that an adapter may import. */
export * from './adapter.ts';
export * from './authorizer.ts';
export * from './clock.ts';
export * from './define-ref.ts';
export * from './embedder.ts';
export * from './fact.ts';
export * from './fact-filter.ts';
export * from './fact-store.ts';
export * from './ledger.ts';
export * from './mask-urls.ts';
export * from './migration.ts';
export * from './normalise-text.ts';
export * from './principal.ts';
export * from './schema.ts';
export * from './service-error.ts';
export * from './stored-text.ts';
export * from './transport.ts';
