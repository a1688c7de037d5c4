import type { BillingEvent, BillingSink } from './billing-api.ts';
import type { TextOutput } from './stderr-billing-sink.ts';

/** The default sink of a node that runs in a terminal. It counts events, because a line for each would hide the log. */
export interface TerminalBillingSink extends BillingSink {
  /** Writes one line with the number of events since the last call; nothing without any. */
  summarise(): void;
}

export const createTerminalBillingSink = (output: TextOutput = process.stderr): TerminalBillingSink => {
  const counts = new Map<BillingEvent['eventType'], number>();
  return {
    async write(events) {
      for (const { eventType } of events) counts.set(eventType, (counts.get(eventType) ?? 0) + 1);
    },
    summarise() {
      if (counts.size === 0) return;
      output.write(`billing: ${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}\n`, () => {});
      counts.clear();
    },
  };
};
