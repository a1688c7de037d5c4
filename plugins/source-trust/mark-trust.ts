import {
  type FactView,
  type ReadContext,
  type ServiceNames,
  type VerifiedOrigins,
  withMark,
} from '../../kernel/plugin-api.ts';
import { SOURCE_TRUST } from './source-trust-api.ts';
import { trustOfFact } from './trust-of-fact.ts';
import type { SourceTrust } from './trust-rules.ts';

export interface TrustParts {
  readonly trust: SourceTrust;
  readonly names: ServiceNames;
  /** Undefined on a node without federation. */
  readonly origins: VerifiedOrigins | undefined;
}

/** Marks each fact with the trust in its speaker. Reads the store only for received facts. */
export const createMarkTrust = ({ trust, names, origins }: TrustParts) => {
  const mark = (views: readonly FactView[], verified: ReadonlySet<string>): readonly FactView[] =>
    views.map((view) => {
      const verifiedOrigin = verified.has(view.fact.id) ? view.fact.originNodeId : null;
      const { sourceKey, assertedBy, receivedFrom, attested } = view.fact;
      const spoken = { sourceKey, assertedBy, receivedFrom, attested, verifiedOrigin };
      return withMark(view, SOURCE_TRUST, trustOfFact(spoken, trust, names));
    });
  return (
    views: readonly FactView[],
    { caller, snapshot }: ReadContext,
  ): readonly FactView[] | Promise<readonly FactView[]> => {
    const received = views.filter(({ fact }) => fact.receivedFrom !== null).map(({ fact }) => fact.id);
    if (origins === undefined || received.length === 0) return mark(views, NONE);
    return origins.of(snapshot, caller.tenantId, received).then((verified) => mark(views, verified));
  };
};

const NONE: ReadonlySet<string> = new Set();
