import { type Fact, FactClient, FactMemoryError } from '../../../client/client.ts';

/** A sample program for browsers, which must compile with web types only. */
export const rolesOf = async (entity: string, signal: AbortSignal): Promise<readonly Fact[]> => {
  const client = new FactClient({
    url: 'http://127.0.0.1:8765',
    key: 'a key',
    fetch: (input, init) => fetch(input, init),
  });
  try {
    return await client.query({ entity, relation: 'memory:role' }, { signal }).take(10);
  } catch (error) {
    if (error instanceof FactMemoryError && error.status === 404) return [];
    throw error;
  }
};
