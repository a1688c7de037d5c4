import { defineRef, type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** A garden as it stands for one caller. */
export interface EnteredGarden {
  /** UUID. */
  readonly id: string;
  readonly scope: Scope;
  /** Whether the caller may write facts into it. A garden that was deleted takes none, from nobody. */
  readonly mayWrite: boolean;
}

/**
 * Which gardens a caller may enter. While no plugin provides it, every fact that carries a garden is hidden from
 * everybody, so that switching gardens off never publishes what they guarded. Nothing is cached: what the snapshot
 * holds is what counts.
 */
export interface GardenAccess {
  /** Gardens whose facts the caller may read, by UUID; `all` also stands for gardens that are no more. */
  readable(caller: Principal, snapshot: PluginSnapshot): Promise<'all' | readonly string[]>;
  /**
   * The garden that the caller names by URI, UUID or slug; undefined for one that does not exist and one that the
   * caller may not enter alike.
   */
  enter(name: string, caller: Principal, snapshot: PluginSnapshot): Promise<EnteredGarden | undefined>;
  /**
   * Gardens whose facts the caller may bring to an end, by UUID: those that take facts from the caller, but none whose
   * facts wait for somebody's decision.
   */
  writable(caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
  /** Those of the gardens, by UUID, whose administration is the caller's. */
  administered(gardenIds: readonly string[], caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
}

export const GardenAccess = defineRef<GardenAccess>('kernel.garden-access');

/**
 * The answer to a garden that was named but cannot be entered. A garden that does not exist
 * and one that the caller is no member of are the same to everybody but an admin. Without a plugin that knows gardens,
 * every garden is such a one.
 */
export const refuseGarden = (caller: Principal): ServiceError =>
  caller.permissions.has('admin')
    ? new ServiceError('lookup', 'there is no such garden')
    : new ServiceError('authorization', 'the key has no access to this garden');
