import { type Embedder, ServiceError } from '../../kernel/plugin-api.ts';

/**
 * Refuses an embedder that lacks a part. A plugin in JavaScript may provide anything, and without its floor an embedder
 * would find nothing and say nothing.
 */
export const requireWholeEmbedder = (embedder: Embedder): void => {
  const { id, dimensions, similarityFloor, embed }: { readonly [K in keyof Embedder]: unknown } = embedder;
  const parts: readonly (readonly [name: string, isThere: boolean])[] = [
    ['id, a text', typeof id === 'string' && id !== ''],
    ['dimensions, a whole number', Number.isSafeInteger(dimensions) && Number(dimensions) > 0],
    ['similarityFloor, a number from -1 to 1', typeof similarityFloor === 'number' && Math.abs(similarityFloor) <= 1],
    ['embed, a function', typeof embed === 'function'],
  ];
  const missing = parts.filter(([, isThere]) => !isThere).map(([name]) => name);
  if (missing.length === 0) return;
  throw new ServiceError('validation', `the embedder lacks ${missing.join('; ')}`, {
    hint: 'look into the plugin that provides it: the guide "Write a plugin" shows an embedder',
  });
};
