import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { appendJudge, Clock, Cursors, Facts, factCommitted, Leases, optional } from '../../kernel/plugin-api.ts';
import { gardenCreated } from '../gardens/gardens-api.ts';
import { Tenancy } from '../multi-tenant/multi-tenant-api.ts';
import { BillingLedger, BillingSink } from './billing-api.ts';
import { BillingDelivery } from './billing-delivery.ts';
import { billingMigrations } from './billing-migrations.ts';
import { billingEventsRoute } from './billing-routes.ts';
import { BILLED, BillingStore } from './billing-store.ts';
import { createLedger } from './create-ledger.ts';
import { createStderrBillingSink, surviveClosedStderr } from './stderr-billing-sink.ts';
import { createTerminalBillingSink } from './terminal-billing-sink.ts';

/** Interval of the poll for events of other processes, in milliseconds. */
const LOOK_INTERVAL_MS = 1_000;
const SUMMARY_INTERVAL_MS = 60_000;

interface BillingSettings {
  readonly lines: 'auto' | 'all';
}

const settings = objectSchema<BillingSettings>({
  lines: {
    type: 'string',
    enum: ['auto', 'all'],
    default: 'auto',
    env: 'SVC_BILLING_LINES',
    description: 'lines on standard error; auto: one for each event, but on a terminal one a minute with their number',
  },
});

export const billingPlugin = defineOwnPlugin({
  name: 'billing',
  summary: 'Keeps a ledger of what is charged for and writes each event as a line to standard error',
  requires: {
    facts: Facts,
    clock: Clock,
    cursors: Cursors,
    leases: Leases,
    sink: optional(BillingSink),
    tenancy: optional(Tenancy),
  },
  provides: [BillingLedger],
  migrations: billingMigrations,
  config: settings,
  async setup({ config, use, tables, log, on, provide, route, every, onStop }) {
    const defaultSink = (): BillingSink => {
      onStop(surviveClosedStderr());
      if (config.lines === 'all' || !process.stderr.isTTY) return createStderrBillingSink();
      const terminal = createTerminalBillingSink();
      every(SUMMARY_INTERVAL_MS, () => terminal.summarise());
      onStop(() => terminal.summarise());
      return terminal;
    };
    const { facts, clock, cursors, leases, tenancy, sink = defaultSink() } = use;
    const store = new BillingStore(tables);
    const delivery = new BillingDelivery({ store, sink, clock, log, leases });
    on(appendJudge, ({ items }) => {
      for (const item of items) if (item.open && item.origin === 'client') item.tag(BILLED);
    });
    // The next poll delivers the event, because a garden event is not urgent.
    on(gardenCreated, (created) => store.addGarden(created));
    on(factCommitted, (event) => {
      const billed = event.facts.filter(({ origin }) => origin === 'client');
      delivery.request(new Set(billed.map(({ fact }) => fact.tenantId)));
    });
    every(LOOK_INTERVAL_MS, () => delivery.requestNew());
    onStop(() => delivery.stop());
    const ledger = createLedger(store, facts);
    provide(BillingLedger, ledger);
    route(billingEventsRoute({ ledger, clock, cursors, tenancy }));
  },
});
