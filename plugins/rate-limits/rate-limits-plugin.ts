import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  appendJudge,
  Clock,
  factAppended,
  factErased,
  factRestored,
  httpAdmit,
  optional,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { BucketStore } from './bucket-store.ts';
import { createQuotas } from './create-quotas.ts';
import { myLimitsRoute } from './my-limits-route.ts';
import { Quotas } from './rate-limits-api.ts';
import { rateLimitsMigrations } from './rate-limits-migrations.ts';
import { QUOTA_BREACH } from './rate-limits-words.ts';
import { readQuotas } from './read-quotas.ts';
import { StoredBytes } from './stored-bytes.ts';

interface Settings {
  readonly perMinute: string;
  readonly maxStoredBytes: number;
}

/** The interval at which full buckets are deleted, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;
/** The interval at which facts are counted that were stored while this plugin was off, in milliseconds. */
const COUNT_INTERVAL_MS = 5_000;

export const rateLimitsPlugin = defineOwnPlugin({
  name: 'rate-limits',
  summary: 'Limits what each caller may do in a minute and store altogether; does nothing without limits',
  requires: { clock: Clock, audit: optional(AuditLog) },
  provides: [Quotas],
  declares: [QUOTA_BREACH],
  config: objectSchema<Settings>({
    perMinute: {
      type: 'string',
      maxLength: 4096,
      default: '',
      env: 'SVC_RATE_LIMITS',
      description:
        'requests a minute that each entity may make, such as fact_write=100,recall=200; spec: the recommended list; ' +
        'empty: no limits',
    },
    maxStoredBytes: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      env: 'SVC_MAX_STORED_BYTES_PER_ENTITY',
      description: 'bytes of facts that each entity may store in a tenant; 0 sets no limit',
    },
  }),
  migrations: rateLimitsMigrations,
  inspect({ config }) {
    readQuotas(config.perMinute);
  },
  setup({ config, use, tables, hooks, log, on, every, provide, route }) {
    const { clock, audit } = use;
    const { maxStoredBytes } = config;
    const stored = new StoredBytes({ tables, hooks, maxBytes: maxStoredBytes });
    // An erasure reduces the counted bytes, even if no limit applies now.
    on(factErased, (erased) => stored.free(erased));
    if (maxStoredBytes > 0) {
      on(appendJudge, (batch) => stored.judge(batch));
      on(factAppended, ({ facts, transaction }) =>
        stored.add(
          facts.map(({ fact }) => fact),
          transaction,
        ),
      );
      on(factRestored, ({ facts, transaction }) => stored.add(facts, transaction));
      every(COUNT_INTERVAL_MS, () => stored.countOthers());
    }

    const limits = readQuotas(config.perMinute);
    const store = new BucketStore(tables);
    const quotas = createQuotas({ limits, store, clock, log, audit });
    provide(Quotas, quotas);
    route(
      myLimitsRoute({
        quotas: (holder) => quotas.states(holder),
        storedBytes: async (caller) =>
          maxStoredBytes === 0 ? null : { limit: maxStoredBytes, used: await stored.of(caller) },
      }),
    );
    if (limits.size === 0) return;
    on(httpAdmit, ({ access, dimension, caller }) => {
      // An open route does not know its caller yet; its handler counts the request.
      return dimension === null || access === 'open' ? undefined : quotas.admit(caller, dimension);
    });
    every(SWEEP_INTERVAL_MS, () => store.sweep());
  },
});
