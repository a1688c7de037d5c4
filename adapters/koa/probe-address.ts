import { createServer } from 'node:http';
import { listen } from './listen.ts';

/**
 * Listens on the address for a moment. Rejects with `unavailable`, as a start would, when the address is not available.
 */
export const probeAddress = async (address: { readonly host: string; readonly port: number }): Promise<void> => {
  const listener = await listen(createServer(), address);
  await listener.close(0);
};
