import { appendFile } from 'node:fs/promises';
import { type BillingEvent, BillingSink } from 'fact-memory-node/billing-api';
import { type ClassPluginContext, defineClassPlugin, injectable, port } from 'fact-memory-node/class-plugin';
import { Clock, NodeSelf, schema } from 'fact-memory-node/plugin';

/** A billing plugin written as a class: it writes one invoice line for each event to a file. */

interface Settings {
  readonly file: string;
  readonly centsPerFact: number;
}

@injectable()
class AcmeBilling {
  readonly #clock: Clock;
  readonly #self: NodeSelf;
  /** Ids of billed events. Events repeat after a crash; a running node bills each only once. */
  readonly #billed = new Set<string>();

  constructor(@port(Clock) clock: Clock, @port(NodeSelf) self: NodeSelf) {
    this.#clock = clock;
    this.#self = self;
  }

  setup({ config, provide }: ClassPluginContext<Settings>): void {
    provide(BillingSink, { write: (events) => this.#invoice(events, config) });
  }

  async #invoice(events: readonly BillingEvent[], { file, centsPerFact }: Settings): Promise<void> {
    const fresh = events.filter(({ factId }) => factId === null || !this.#billed.has(factId));
    const lines = fresh.map(({ entityUri, factId }) =>
      JSON.stringify({
        node: this.#self.nodeId,
        customer: entityUri,
        fact: factId,
        cents: centsPerFact,
        billed_ms: this.#clock.nowMs(),
      }),
    );
    if (lines.length > 0) await appendFile(file, `${lines.join('\n')}\n`);
    for (const { factId } of fresh) if (factId !== null) this.#billed.add(factId);
  }
}

export const acmeBilling = defineClassPlugin<Settings, { clock: typeof Clock; self: typeof NodeSelf }>(AcmeBilling, {
  name: 'acme-billing',
  version: '1.0.0',
  kernelApi: 1,
  summary: 'Invoice lines for Acme in place of the lines on standard error',
  requires: { clock: Clock, self: NodeSelf },
  provides: [BillingSink],
  config: schema<Settings>({
    type: 'object',
    required: ['file'],
    additionalProperties: false,
    properties: {
      file: { type: 'string', description: 'where invoice lines are appended' },
      centsPerFact: { type: 'integer', minimum: 0, default: 1 },
    },
  }),
});
