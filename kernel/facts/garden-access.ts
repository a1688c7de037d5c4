import { defineRef, type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** A garden with the rights of one caller. */
export interface EnteredGarden {
  /** The identifier of the garden (UUID). */
  readonly id: string;
  readonly scope: Scope;
  /** Whether the caller may write facts into the garden. A deleted garden accepts none. */
  readonly mayWrite: boolean;
}

/**
 * The access of callers to gardens. While no plugin provides it, every fact in a garden is hidden from everyone, so
 * that disabling gardens never publishes their facts. Nothing is cached: the snapshot decides.
 */
export interface GardenAccess {
  /** Returns the gardens whose facts the caller may read, by UUID; `all` includes deleted gardens. */
  readable(caller: Principal, snapshot: PluginSnapshot): Promise<'all' | readonly string[]>;
  /**
   * Returns the garden with this URI, UUID or slug. Undefined both for an unknown garden and for one that the caller
   * may not enter.
   */
  enter(name: string, caller: Principal, snapshot: PluginSnapshot): Promise<EnteredGarden | undefined>;
  /**
   * Returns the gardens whose facts the caller may end, by UUID: those that the caller may write, except those whose
   * facts need approval.
   */
  writable(caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
  /** Returns the gardens among these, by UUID, that the caller administers. */
  administered(gardenIds: readonly string[], caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
}

export const GardenAccess = defineRef<GardenAccess>('kernel.garden-access');

/**
 * Returns the refusal for a garden that the caller cannot enter. Only an admin can distinguish an unknown garden from
 * one without membership. Without a plugin for gardens, every garden is unknown.
 */
export const refuseGarden = (caller: Principal): ServiceError =>
  caller.permissions.has('admin')
    ? new ServiceError('lookup', 'there is no such garden')
    : new ServiceError('authorization', 'the key has no access to this garden');
