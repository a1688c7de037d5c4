import { matchKey, type NodeSelf } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { Peerings } from '../peerings/peerings.ts';
import { createOwnNames } from './own-names.ts';

export interface OwnerParts {
  readonly self: Pick<NodeSelf, 'names'>;
  readonly peerings: Pick<Peerings, 'active'>;
}

/** Returns the match key of the active peer under whose address a source lies; undefined for any other source. */
export type SourceOwners = (source: string) => string | undefined;

/** Reads the peers of a tenant only if some source of the page has the form of an address below a node. */
export const createSourceOwners = async (
  sources: readonly string[],
  tenantId: string,
  { self: { names }, peerings }: OwnerParts,
): Promise<SourceOwners> => {
  const keys = new Map([...new Set(sources)].map((source) => [source, matchKey(source, names)]));
  if (![...keys.values()].some((key) => key.startsWith(names.scheme))) return () => undefined;
  const owners = new Map<string, Peering[]>();
  for (const peering of await peerings.active()) {
    if (peering.tenantId !== tenantId) continue;
    const { nodeId, nodeUrl } = peering;
    for (const authority of new Set([new URL(nodeUrl).host, authorityOf(matchKey(nodeId, names), names.scheme)])) {
      owners.set(authority, [...(owners.get(authority) ?? []), peering]);
    }
  }
  return (source) => {
    const near = owners.get(authorityOf(keys.get(source) ?? '', names.scheme)) ?? [];
    const owner = near.find(({ nodeId, nodeUrl }) =>
      createOwnNames({ names, nodeId, authority: new URL(nodeUrl).host }).isOwnSource(source),
    );
    return owner === undefined ? undefined : matchKey(owner.nodeId, names);
  };
};

const authorityOf = (key: string, scheme: string): string =>
  key.startsWith(scheme) ? (key.slice(scheme.length).split('/', 1)[0] ?? '') : '';
