import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../../kernel/plugin-api.ts';

/** How often a plain line is written where there is no terminal to redraw on. */
const PLAIN_INTERVAL_MS = 2_000;

/**
 * A bar on a terminal when the size is known, plain lines at intervals otherwise. `totalBytes` is null for a stream.
 */
export const createProgress = (output: Writable, totalBytes: number | null): Progress =>
  (output as NodeJS.WriteStream).isTTY === true && totalBytes !== null && totalBytes > 0
    ? createBar(output as NodeJS.WriteStream, totalBytes)
    : createPlainLines(output, totalBytes);

const createBar = (output: NodeJS.WriteStream, totalBytes: number): Progress => {
  const bar = new SingleBar(
    { stream: output, format: ' {bar} {percentage} % · {lines} lines · {eta_formatted} left', hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0, { lines: 0 });
  return {
    update: (doneBytes, lines) => bar.update(doneBytes, { lines }),
    say(line) {
      output.clearLine(0);
      output.cursorTo(0);
      output.write(`${line}\n`);
      bar.render();
    },
    end: () => bar.stop(),
  };
};

const createPlainLines = (output: Writable, totalBytes: number | null): Progress => {
  let nextMs = performance.now() + PLAIN_INTERVAL_MS;
  return {
    update(doneBytes, lines) {
      const nowMs = performance.now();
      if (nowMs < nextMs) return;
      nextMs = nowMs + PLAIN_INTERVAL_MS;
      const share = totalBytes === null ? '' : ` (${Math.floor((doneBytes / totalBytes) * 100)} %)`;
      output.write(`${lines} lines${share}\n`);
    },
    say: (line) => void output.write(`${line}\n`),
    end: () => {},
  };
};
