import { defineRef, type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** A garden with the rights of one caller. */
export interface EnteredGarden {
  /** UUID. */
  readonly id: string;
  readonly scope: Scope;
  /** Whether the caller may write facts into it. A deleted garden takes none. */
  readonly mayWrite: boolean;
}

/**
 * The gardens that a caller may enter. While no plugin provides it, every fact in a garden is hidden from every caller,
 * so that disabling gardens never publishes their facts. Nothing is cached: the snapshot decides.
 */
export interface GardenAccess {
  /** Gardens whose facts the caller may read, by UUID; `all` includes deleted gardens. */
  readable(caller: Principal, snapshot: PluginSnapshot): Promise<'all' | readonly string[]>;
  /**
   * Returns the garden that the caller names by URI, UUID or slug. Undefined both for an unknown one and for one that
   * the caller may not enter.
   */
  enter(name: string, caller: Principal, snapshot: PluginSnapshot): Promise<EnteredGarden | undefined>;
  /**
   * Gardens whose facts the caller may end, by UUID: those into which the caller may write, except those whose facts
   * wait for a decision.
   */
  writable(caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
  /** Returns those of the gardens, by UUID, that the caller administers. */
  administered(gardenIds: readonly string[], caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
}

export const GardenAccess = defineRef<GardenAccess>('kernel.garden-access');

/**
 * The refusal of a garden that the caller cannot enter. Only an admin can tell an unknown garden from one without
 * membership. Without a plugin that knows gardens, every garden is unknown.
 */
export const refuseGarden = (caller: Principal): ServiceError =>
  caller.permissions.has('admin')
    ? new ServiceError('lookup', 'there is no such garden')
    : new ServiceError('authorization', 'the key has no access to this garden');
