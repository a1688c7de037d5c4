import { Clock, definePlugin, httpAdmit, KERNEL_API, NodeSelf, optional, schema } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { BucketStore } from './bucket-store.ts';
import { createQuotas, NO_QUOTAS } from './create-quotas.ts';
import { Quotas } from './rate-limits-api.ts';
import { rateLimitsMigrations } from './rate-limits-migrations.ts';
import { QUOTA_BREACH } from './rate-limits-words.ts';
import { readQuotas } from './read-quotas.ts';

interface Settings {
  readonly perMinute: string;
}

/** Milliseconds between looks for buckets that are full again. */
const SWEEP_INTERVAL_MS = 60_000;

export const rateLimitsPlugin = definePlugin({
  name: 'rate-limits',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Limits what each caller may do in a minute; does nothing without a list of limits',
  requires: { clock: Clock, self: NodeSelf, audit: optional(AuditLog) },
  provides: [Quotas],
  declares: [QUOTA_BREACH],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      perMinute: {
        type: 'string',
        maxLength: 4096,
        default: '',
        env: 'SVC_RATE_LIMITS',
        description:
          'requests a minute that each entity may make, such as fact_write=100,recall=200; spec: the list of the ' +
          'specification; empty: no limits',
      },
    },
  }),
  migrations: rateLimitsMigrations,
  inspect({ config }) {
    readQuotas(config.perMinute);
  },
  setup({ config, use, tables, log, on, every, provide }) {
    const limits = readQuotas(config.perMinute);
    if (limits.size === 0) {
      provide(Quotas, NO_QUOTAS);
      return;
    }
    const { clock, self, audit } = use;
    const store = new BucketStore(tables);
    const quotas = createQuotas({ limits, store, clock, names: self.names, log, audit });
    provide(Quotas, quotas);
    on(httpAdmit, ({ access, dimension, caller }) => {
      // Nobody is known on an open route: what is limited there is counted where the caller is found out.
      return dimension === null || access === 'open' ? undefined : quotas.admit(caller, dimension);
    });
    every(SWEEP_INTERVAL_MS, () => store.sweep());
  },
});
