import type { Call } from '../workload/operations.ts';
import type { Grants } from '../world/grants.ts';
import type { Party } from '../world/party.ts';
import type { World } from '../world/world.ts';
import { holds, type Violation } from './violation.ts';
import { type ServedFact, watchMessages } from './watch-messages.ts';
import { watchReplies } from './watch-replies.ts';
import { type StoreWatch, watchStore } from './watch-store.ts';

/** Checks the invariants in every state, under every fault. */
export interface Oracle {
  /** Checks every node. Throws a violation. */
  check(): void;
  /** Checks all facts again, including earlier ones. */
  checkAll(): void;
  /** Checks that no node has put another honest node into quarantine. */
  checkTrust(): void;
  /** Forbids facts with these ids in any store. More ids may be added later. */
  forbid(ids: ReadonlyMap<string, string>): void;
  seen(call: Call): void;
  /** Records a violation that another part found; the next check throws it. */
  report(violation: Violation): void;
  storeOf(party: Party): StoreWatch;
  /** Returns public facts that the party served, and that its store lost when an older copy replaced it. */
  lost(party: Party): readonly ServedFact[];
  copyAside(party: Party): void;
  /** Must be called before the copy replaces the store, because no handle to the file may be open. */
  restoring(party: Party): void;
  close(): void;
}

const QUARANTINED = `SELECT p.node_id FROM federation_usage u JOIN federation_peers p ON p.peer_id = u.peer_id
  WHERE u.quarantined_until_ms > 0`;

export const createOracle = (world: World, grants: Grants): Oracle => {
  const stores = new Map(world.parties.map((party) => [party, watchStore(party)]));
  const replies = watchReplies();
  const served = new Map<string, ServedFact>();
  const storeOf = (party: Party): StoreWatch => stores.get(party) as StoreWatch;
  /** The first violation, stored because a node would catch an error thrown inside its call. */
  let found: unknown;
  const kept =
    <T>(watch: (event: T) => void) =>
    (event: T): void => {
      try {
        watch(event);
      } catch (error) {
        found ??= error;
      }
    };
  world.network.watch(kept(watchMessages({ parties: world.parties, grants, served })));
  let forbidden: ReadonlyMap<string, string> = new Map();
  const check = (): void => {
    for (const party of world.parties) storeOf(party).check(forbidden);
    if (found !== undefined) throw found;
  };
  return {
    check,
    storeOf,
    lost: (party) =>
      [...served.values()].filter(
        ({ id, scope, origin_node_id: origin }) =>
          origin === party.nodeId && scope === 'public' && !storeOf(party).facts.has(id),
      ),
    report: (violation) => {
      found ??= violation;
    },
    forbid: (ids) => {
      forbidden = ids;
    },
    seen: kept(replies.take),
    checkAll() {
      check();
      for (const party of world.parties) {
        const store = storeOf(party);
        store.checkUnchanged();
        for (const id of replies.acknowledged(party)) {
          holds('I1', store.facts.has(id), () => `${party.name}: ${id} was acknowledged and is lost`);
        }
      }
    },
    checkTrust() {
      const honest = new Set(world.parties.map(({ nodeId }) => nodeId));
      for (const party of world.parties) {
        for (const { node_id } of storeOf(party).rows<{ node_id: string }>(QUARANTINED)) {
          holds('I14', !honest.has(node_id), () => `${party.name} has put ${node_id} into quarantine`);
        }
      }
    },
    copyAside: (party) => {
      grants.copyAside(party);
      replies.copyAside(party);
    },
    restoring: (party) => {
      grants.restoring(party);
      replies.restoring(party);
      storeOf(party).forget();
    },
    close: () => {
      for (const store of stores.values()) store.close();
    },
  };
};
