/** A line of a reply that reports work while it goes on. */
export type ProgressLine = Readonly<Record<string, unknown>>;

/**
 * Runs work, and yields what it tells as lines of JSON. A reader who is slow misses older progress, but nothing else.
 * The signal aborts when the reader leaves. `failed` makes the last line of work that threw.
 */
export async function* progressLines(
  work: (tell: (line: ProgressLine) => void, signal: AbortSignal) => Promise<ProgressLine>,
  failed: (error: unknown) => ProgressLine,
): AsyncGenerator<string, void, undefined> {
  const stop = new AbortController();
  const waiting: ProgressLine[] = [];
  let wake = (): void => {};
  let isOver = false;
  const tell = (line: ProgressLine): void => {
    if ('progress' in line && 'progress' in (waiting.at(-1) ?? {})) waiting.pop();
    waiting.push(line);
    wake();
  };
  const running = work(tell, stop.signal)
    .catch((error: unknown) => (stop.signal.aborted ? {} : failed(error)))
    .then((last) => {
      isOver = true;
      tell(last);
    });
  try {
    for (;;) {
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) yield `${JSON.stringify(line)}\n`;
      if (isOver) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop.abort();
    await running;
  }
}
