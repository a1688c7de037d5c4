import type { BillingSink } from './billing-api.ts';
import { billingEventJson } from './billing-event-json.ts';

/** Where text goes; `written` is called when it has left the process, with an error when it has not. */
export interface TextOutput {
  /** True for a terminal, where `hasColors` says whether text may be dimmed. */
  readonly isTTY?: boolean;
  hasColors?(): boolean;
  write(text: string, written: (error?: Error | null) => void): unknown;
}

/**
 * Writes each event as one line of JSON: the default sink. Resolves when the lines have left the process. On a terminal
 * they are dimmed, so that the log stands out among them.
 */
export const createStderrBillingSink = (output: TextOutput = process.stderr): BillingSink => {
  const isDimmed = output.isTTY === true && output.hasColors?.() === true;
  return {
    write: (events) =>
      new Promise((resolve, reject) => {
        const text = events.map((event) => billingLine({ billing: billingEventJson(event) })).join('');
        output.write(isDimmed ? dimmed(text) : text, (error) => (error == null ? resolve() : reject(error)));
      }),
  };
};

const dimmed = (lines: string): string => lines.replaceAll(/^.+$/gm, '\u001b[2m$&\u001b[0m');

/**
 * Keeps the process alive when nobody reads standard error any more: without a listener the stream's error would end
 * it. The write itself still fails, so no event is lost. The function returned undoes it.
 */
export const surviveClosedStderr = (): (() => void) => {
  const ignore = (): void => {};
  process.stderr.on('error', ignore);
  return () => {
    process.stderr.off('error', ignore);
  };
};

/** JSON leaves these characters as they are, and some readers of lines break at them. */
const LINE_BREAKERS = /[\u007f-\u009f\u2028\u2029]/g;

const billingLine = (line: unknown): string =>
  `${JSON.stringify(line).replace(LINE_BREAKERS, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
