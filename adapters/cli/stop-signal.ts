/** How long a node may take to drain before the process ends without it: 10 s are promised to whoever sent the signal. */
const STOP_LIMIT_MS = 9_500;

/** One Ctrl-C reaches a program under npm twice, from the terminal and from npm; nobody means it twice that fast. */
const SAME_SIGNAL_MS = 500;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Resolves `received` at the first signal to stop. A second one, or a drain that takes too long, ends the process. */
export const stopSignal = (): { readonly received: Promise<void>; dispose(): void } => {
  let arrivedMs: number | undefined;
  let resolveReceived: () => void;
  const received = new Promise<void>((resolve) => {
    resolveReceived = resolve;
  });
  const onSignal = (): void => {
    const nowMs = performance.now();
    if (arrivedMs !== undefined) {
      if (nowMs - arrivedMs > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    arrivedMs = nowMs;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    resolveReceived();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    received,
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
};
