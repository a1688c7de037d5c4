import { DEFAULT_TENANT, type ServedTenants } from '../../kernel/plugin-api.ts';
import type { Standing, TenantStatus } from './multi-tenant-api.ts';
import type { TenantDirectory } from './tenant-directory.ts';

const STANDINGS: Readonly<Record<TenantStatus, Standing>> = {
  active: 'active',
  suspended: 'suspended',
  erasing: 'erased',
  erased: 'erased',
};

export interface StandingsParts {
  readonly directory: TenantDirectory;
  readonly served: ServedTenants;
}

/** The status of each tenant in memory, for requests. Reloaded after changes of the directory. */
export class TenantStandings {
  readonly #parts: StandingsParts;
  #exceptions: ReadonlyMap<string, TenantStatus> = new Map();
  /** Chains reloads, so that an older result never replaces a newer one. */
  #reloading: Promise<void> = Promise.resolve();

  constructor(parts: StandingsParts) {
    this.#parts = parts;
  }

  of(tenantId: string): Standing {
    if (tenantId === DEFAULT_TENANT) return 'active';
    const status = this.#exceptions.get(tenantId);
    return status === undefined ? 'active' : STANDINGS[status];
  }

  /** The tenants whose erasure has begun and has not ended. */
  get unfinished(): readonly string[] {
    return [...this.#exceptions].filter(([, status]) => status === 'erasing').map(([id]) => id);
  }

  /** Resolves when this process knows every change that was committed before the call. */
  reload(): Promise<void> {
    const next = this.#reloading.catch(() => {}).then(() => this.#read());
    this.#reloading = next;
    return next;
  }

  async #read(): Promise<void> {
    const { directory, served } = this.#parts;
    this.#exceptions = await directory.exceptions();
    served.rest(new Set(this.#exceptions.keys()));
  }
}
