import { createHash } from 'node:crypto';

/** The events of a simulation, in order. Two runs of one seed have equal traces. */
export interface Trace {
  add(line: string): void;
  /** Returns the last lines, oldest first. */
  last(count: number): readonly string[];
  /** Returns the hash of all lines. */
  hash(): string;
  readonly length: number;
}

const KEPT = 400;

export const createTrace = (nowMs: () => number): Trace => {
  const digest = createHash('sha256');
  const lines: string[] = [];
  let length = 0;
  return {
    add(text) {
      const line = `${nowMs().toFixed(3)} ${text}`;
      digest.update(`${line}\n`);
      lines.push(line);
      length += 1;
      if (lines.length > 2 * KEPT) lines.splice(0, KEPT);
    },
    last: (count) => lines.slice(-count),
    hash: () => digest.copy().digest('hex'),
    get length() {
      return length;
    },
  };
};

/** Returns a short digest that represents a text in a trace. */
export const mark = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
