import {
  type FactView,
  hasPermission,
  type PluginTables,
  type ReadContext,
  type VerifiedOrigins,
  withMark,
} from '../../../kernel/plugin-api.ts';
import { ORIGIN_VERIFIED } from '../serving/serving-words.ts';
import { verifiedAmong } from './proof-rows.ts';

export const createVerifiedOrigins = (tables: PluginTables): VerifiedOrigins => ({
  of: (snapshot, tenantId, factIds) => verifiedAmong(tables.in(snapshot), tenantId, factIds),
});

type MarkedViews = readonly FactView[] | Promise<readonly FactView[]>;

/**
 * Adds a mark with the result of the proof to received facts, for admins only. It reads nothing if no fact was
 * received.
 */
export const createMarkOrigins =
  (origins: VerifiedOrigins) =>
  (views: readonly FactView[], { caller, snapshot }: ReadContext): MarkedViews => {
    if (!hasPermission(caller, 'admin') || views.every(isOwn)) return views;
    return markOrigins(views, origins, { caller, snapshot });
  };

const markOrigins = async (
  views: readonly FactView[],
  origins: VerifiedOrigins,
  { caller, snapshot }: Pick<ReadContext, 'caller' | 'snapshot'>,
): Promise<readonly FactView[]> => {
  const received = views.filter((view) => !isOwn(view)).map(({ fact }) => fact.id);
  const verified = await origins.of(snapshot, caller.tenantId, received);
  return views.map((view) => (isOwn(view) ? view : withMark(view, ORIGIN_VERIFIED, verified.has(view.fact.id))));
};

const isOwn = ({ fact }: FactView): boolean => fact.receivedFrom === null;
