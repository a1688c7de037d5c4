import type { FactClient, Garden } from '../../../../client/client.ts';
import { hasRoute, useSession } from '../session/session.ts';
import { nowMs } from './platform.ts';
import { useAsked } from './use-asked.ts';

/** Several parts of a screen ask at once; a later screen is to know of a garden that was made meanwhile. */
const KEPT_MS = 5_000;

interface Kept {
  readonly untilMs: number;
  readonly gardens: Promise<readonly Garden[]>;
}

const kept = new WeakMap<FactClient, Kept>();

/** The gardens of the reader; none until they are there, and where gardens are off. */
export const useGardens = (): readonly Garden[] => {
  const { client, setup } = useSession();
  return useAsked(() => (hasRoute(setup, 'GET /v1/gardens') ? gardensOf(client) : NO_GARDENS), [client]).data ?? [];
};

/** What people call a garden; its own address where the reader does not know it. */
export const gardenName = (gardens: readonly Garden[], given: string): string =>
  gardens.find(({ garden_id: uri, id, slug }) => given === uri || given === id || given === slug)?.name ?? given;

const NO_GARDENS: Promise<readonly Garden[]> = Promise.resolve([]);

const gardensOf = (client: FactClient): Promise<readonly Garden[]> => {
  const known = kept.get(client);
  if (known !== undefined && known.untilMs > nowMs()) return known.gardens;
  const asking = client.call('GET /v1/gardens');
  // A later screen tries again what has failed.
  asking.catch(() => kept.delete(client));
  kept.set(client, { untilMs: nowMs() + KEPT_MS, gardens: asking });
  return asking;
};
