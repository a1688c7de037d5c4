import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** The time that a node has to drain before the process ends. It is below the 10 s that the documentation promises. */
export const STOP_LIMIT_MS = 9_500;

/**
 * The time within which a second signal counts as the same one. Under npm, one Ctrl-C arrives twice: from the terminal
 * and from npm.
 */
const SAME_SIGNAL_MS = 500;

/** The signals to stop: of a service manager, of Ctrl-C, and of a terminal that closes. */
export const STOP_SIGNALS: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

const STANDARD_STREAMS = [0, 1, 2];

export interface StopSignal {
  /** Resolves at the first signal, with its name; undefined after `raise`. */
  readonly received: Promise<string | undefined>;
  /** Acts like a first signal; does nothing after one. */
  raise(): void;
  dispose(): void;
}

export interface StopSignalOptions {
  /** Whether a second signal ends the process. False when another process handles second signals. */
  readonly insisting: boolean;
  /** Called with the reason just before the process ends without a drain. */
  onForced?(why: string): void;
}

/** Listens for stop signals. A second signal, or a drain beyond the time limit, ends the process at once. */
export const stopSignal = ({ insisting, onForced }: StopSignalOptions): StopSignal => {
  const end = (why: string): void => {
    onForced?.(why);
    process.exit(1);
  };
  let arrivedMs: number | undefined;
  const terminals = STANDARD_STREAMS.filter((descriptor) => isatty(descriptor));
  let resolveReceived: (name: string | undefined) => void;
  const received = new Promise<string | undefined>((resolve) => {
    resolveReceived = resolve;
  });
  const onSignal = (name?: string): void => {
    const nowMs = performance.now();
    if (arrivedMs !== undefined) {
      if (insisting && nowMs - arrivedMs > SAME_SIGNAL_MS) end('a second signal came');
      return;
    }
    arrivedMs = nowMs;
    setTimeout(() => end('running requests took too long'), STOP_LIMIT_MS).unref();
    resolveReceived(name);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return {
    received,
    raise() {
      if (arrivedMs === undefined) onSignal();
    },
    dispose() {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
      // Node aborts when it cannot reset a terminal that is gone, and leaves alone a descriptor that is closed.
      for (const descriptor of terminals) if (!isatty(descriptor)) closeSync(descriptor);
    },
  };
};
