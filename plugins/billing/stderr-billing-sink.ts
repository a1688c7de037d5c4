import { inTurns, unblockStandardError } from '../../kernel/internal-api.ts';
import type { BillingSink } from './billing-api.ts';
import { billingEventJson } from './billing-event-json.ts';

/** An output for text. It calls `written` when the text has left the process, or with an error. */
export interface TextOutput {
  write(text: string, written: (error?: Error | null) => void): unknown;
}

/**
 * A default sink. Writes each event as one line of JSON, and resolves when the lines have left the process.
 */
export const createStderrBillingSink = (output: TextOutput = process.stderr): BillingSink => ({
  async write(events) {
    let text = '';
    await inTurns(events, (event) => {
      text += billingLine({ billing: billingEventJson(event) });
    });
    await new Promise<void>((resolve, reject) => {
      unblockStandardError();
      output.write(text, (error) => (error == null ? resolve() : reject(error)));
    });
  },
});

/**
 * Keeps the process alive when the reader of standard error has closed it: without a listener, the error of the stream
 * would end the process. The write itself still fails, so no event is lost. Returns a function that removes the
 * listener.
 */
export const surviveClosedStderr = (): (() => void) => {
  const ignore = (): void => {};
  process.stderr.on('error', ignore);
  return () => {
    process.stderr.off('error', ignore);
  };
};

/** JSON does not escape these characters, and some readers break lines at them. */
const LINE_BREAKERS = /[\u007f-\u009f\u2028\u2029]/g;

const billingLine = (line: unknown): string =>
  `${JSON.stringify(line).replace(LINE_BREAKERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
