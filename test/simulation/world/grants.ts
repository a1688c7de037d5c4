import { canonicalJson, encodeBase64Url } from '../../../kernel/internal-api.ts';
import type { Scope } from '../../../kernel/plugin-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import type { Plan } from '../plan.ts';
import type { Party } from './party.ts';
import type { World } from './world.ts';

export interface Grant {
  readonly scopes: readonly Scope[];
  readonly direction: 'bidirectional' | 'outbound' | 'inbound';
}

/** A node, or a stranger that acts as one. */
export type Peer = Pick<Party, 'name' | 'nodeId'>;

/**
 * The possible declarations that each node has stored about each peer. When the outcome of a request is unknown,
 * several states are possible.
 */
export interface Grants {
  /** Signs a declaration, and posts it to both nodes if they are up. */
  declare(from: Party, to: Peer, grant: Grant): Promise<void>;
  revoke(at: Party, other: Party): Promise<void>;
  /** Returns whether the giver may send facts of the scope to the taker, in any possible state since a time. */
  mayGive(giver: Party, taker: Peer, scope: Scope, sinceMs: number): boolean;
  /** Returns whether the giver must send them, in every possible state. */
  mustGive(giver: Party, taker: Party, scope: Scope): boolean;
  copyAside(party: Party): void;
  restoring(party: Party): void;
}

/** Possible grants by `<declaring> <target>`; null means revoked or absent. */
type OnFile = Map<string, readonly (Grant | null)[]>;

export const createGrants = (world: World, { mayEndOthers }: Pick<Plan, 'mayEndOthers'>): Grants => {
  const onFile = new Map<Party, OnFile>();
  const copies = new Map<Party, OnFile>();
  const lastSigned = new Map<Party, number>();
  /** Earlier declarations with the time of their replacement, because an earlier request may be processed late. */
  const replaced = new Map<string, { readonly atMs: number; readonly states: readonly (Grant | null)[] }[]>();
  const fileOf = (party: Party): OnFile => {
    const known = onFile.get(party) ?? new Map();
    onFile.set(party, known);
    return known;
  };
  const possible = (at: Party, from: Peer, to: Peer) => fileOf(at).get(nameOf(from, to)) ?? [null];
  const replacedIn = (at: Party, name: string) => {
    const known = replaced.get(`${at.name} ${name}`) ?? [];
    replaced.set(`${at.name} ${name}`, known);
    return known;
  };
  const possibleSince =
    (sinceMs: number) =>
    (at: Party, from: Peer, to: Peer): readonly (Grant | null)[] => {
      const lately = replacedIn(at, nameOf(from, to)).filter(({ atMs }) => atMs >= sinceMs);
      return [...possible(at, from, to), ...lately.flatMap(({ states }) => states)];
    };
  const put = (at: Party, name: string, states: readonly (Grant | null)[]): void => {
    replacedIn(at, name).push({ atMs: world.time.nowMs, states: fileOf(at).get(name) ?? [null] });
    fileOf(at).set(name, states);
  };
  const flows = (giver: Party, taker: Peer, scope: Scope, at = giver, read = possible) =>
    read(at, giver, taker).flatMap((ours) => read(at, taker, giver).map((theirs) => isOpen(ours, theirs, scope)));
  const post = async (at: Party, from: Peer, to: Peer, declaration: unknown, grant: Grant): Promise<void> => {
    if (at.node === undefined) return;
    const before = possible(at, from, to);
    const key = at.residents.keyOf('admin');
    const status = await statusOf(() => at.request('POST', '/v1/federation/peers', { key, body: declaration }));
    world.trace.add(`${at.name} declared ${from.name} > ${to.name} ${grant.scopes} ${grant.direction} ${status}`);
    if (status === 201) put(at, nameOf(from, to), [grant]);
    else if (status >= 500) put(at, nameOf(from, to), [...before, grant]);
  };
  return {
    async declare(from, to, grant) {
      const { node } = from;
      if (node === undefined) return;
      const signedMs = Math.max(from.clock.wallMs(), (lastSigned.get(from) ?? 0) + 1);
      lastSigned.set(from, signedMs);
      const document = {
        declaring_node_id: from.nodeId,
        target_node_id: to.nodeId,
        allowed_scopes: grant.scopes,
        direction: grant.direction,
        may_end_others: mayEndOthers,
        signed_at: new Date(signedMs).toISOString(),
      };
      const signature = node.kernel.get(NodeIdentity).sign(Buffer.from(canonicalJson(document)));
      const declaration = { ...document, declaration_sig: encodeBase64Url(signature) };
      const sides = 'node' in to ? [from, to as Party] : [from];
      await Promise.all(sides.map((at) => post(at, from, to, declaration, grant)));
    },
    async revoke(at, other) {
      const key = at.residents.keyOf('admin');
      const listed = await at.request('GET', '/v1/federation/peers', { key }).catch(() => undefined);
      const peer = listed?.body?.peers?.find(({ node_id }: { node_id: string }) => node_id === other.nodeId);
      if (peer === undefined) return;
      const before = possible(at, at, other);
      const status = await statusOf(() => at.request('DELETE', `/v1/federation/peers/${peer.peer_id}`, { key }));
      world.trace.add(`${at.name} revoked ${other.name} ${status}`);
      if (status !== 204 && status < 500) return;
      for (const name of [nameOf(at, other), nameOf(other, at)]) {
        put(at, name, status === 204 ? [null] : [...before, null]);
      }
    },
    mayGive: (giver, taker, scope, sinceMs) => flows(giver, taker, scope, giver, possibleSince(sinceMs)).includes(true),
    mustGive: (giver, taker, scope) => [giver, taker].every((at) => !flows(giver, taker, scope, at).includes(false)),
    copyAside: (party) => {
      copies.set(party, new Map(fileOf(party)));
    },
    restoring: (party) => {
      onFile.set(party, new Map(copies.get(party)));
    },
  };
};

const nameOf = (from: Peer, to: Peer): string => `${from.name} ${to.name}`;

const statusOf = (call: () => Promise<{ readonly status: number }>): Promise<number> =>
  call().then(
    ({ status }) => status,
    () => 599,
  );

const isOpen = (giver: Grant | null, taker: Grant | null, scope: Scope): boolean =>
  giver !== null &&
  taker !== null &&
  giver.direction !== 'inbound' &&
  taker.direction !== 'outbound' &&
  giver.scopes.includes(scope) &&
  taker.scopes.includes(scope);
