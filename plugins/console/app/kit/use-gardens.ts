import type { FactClient, Garden } from '../../../../client/client.ts';
import { hasRoute, useSession } from '../session/session.ts';
import { nowMs } from './platform.ts';
import { useRequest } from './use-request.ts';

/**
 * The cache lifetime of the garden list in milliseconds: short, so that the parts of one screen share a request, and a
 * later screen sees new gardens.
 */
const KEPT_MS = 5_000;

interface Kept {
  readonly untilMs: number;
  readonly gardens: Promise<readonly Garden[]>;
}

const kept = new WeakMap<FactClient, Kept>();

/** Returns the gardens of the reader. The list is empty until loaded, and without the gardens plugin. */
export const useGardens = (): readonly Garden[] => {
  const { client, setup } = useSession();
  return useRequest(() => (hasRoute(setup, 'GET /v1/gardens') ? gardensOf(client) : NO_GARDENS), [client]).data ?? [];
};

/** Returns the name of a garden, or its address if the reader does not know the garden. */
export const gardenName = (gardens: readonly Garden[], given: string): string =>
  gardens.find(({ garden_id: uri, id, slug }) => given === uri || given === id || given === slug)?.name ?? given;

const NO_GARDENS: Promise<readonly Garden[]> = Promise.resolve([]);

const gardensOf = (client: FactClient): Promise<readonly Garden[]> => {
  const known = kept.get(client);
  if (known !== undefined && known.untilMs > nowMs()) return known.gardens;
  const asking = client.call('GET /v1/gardens');
  // After a failure, the next screen tries again.
  asking.catch(() => kept.delete(client));
  kept.set(client, { untilMs: nowMs() + KEPT_MS, gardens: asking });
  return asking;
};
