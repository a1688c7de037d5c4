import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type { Progress } from '../../kernel/command-api.ts';

/** The interval of plain progress lines when the output is no terminal. */
const PLAIN_INTERVAL_MS = 2_000;

/**
 * Shows a bar on a terminal when the total is known, and plain lines at intervals otherwise. `total` is null when
 * unknown; `unit` is the plural of the counted things.
 */
export const createProgress = (output: Writable, total: number | null, unit = 'lines'): Progress =>
  (output as NodeJS.WriteStream).isTTY === true && total !== null && total > 0
    ? createBar(output as NodeJS.WriteStream, total, unit)
    : createPlainLines(output, total, unit);

const load = createRequire(import.meta.url);

const createBar = (output: NodeJS.WriteStream, total: number, unit: string): Progress => {
  // Loaded here, because most commands show no bar.
  const { Presets, SingleBar } = load('cli-progress') as typeof import('cli-progress');
  const bar = new SingleBar(
    { stream: output, format: ` {bar} {percentage} % · ${unit}: {count} · {eta_formatted} left`, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0, { count: 0 });
  return {
    update: (done, count = done) => bar.update(done, { count }),
    resize: (next) => bar.setTotal(next),
    say(line) {
      output.clearLine(0);
      output.cursorTo(0);
      output.write(`${line}\n`);
      bar.render();
    },
    end: () => bar.stop(),
  };
};

const createPlainLines = (output: Writable, first: number | null, unit: string): Progress => {
  let total = first;
  let nextMs = performance.now() + PLAIN_INTERVAL_MS;
  return {
    update(done, count) {
      const nowMs = performance.now();
      if (nowMs < nextMs) return;
      nextMs = nowMs + PLAIN_INTERVAL_MS;
      const share = total === null || total === 0 ? '' : ` (${Math.floor((done / total) * 100)} %)`;
      const known = count === undefined && total !== null ? `${done} of ${total}` : `${count ?? done}`;
      output.write(`${unit}: ${known}${share}\n`);
    },
    resize(next) {
      total = next;
    },
    say: (line) => void output.write(`${line}\n`),
    end: () => {},
  };
};
