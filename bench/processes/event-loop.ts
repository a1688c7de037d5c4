import type { ServerProcess } from './child-process.ts';

/** The pauses of a node's event loop since the last call, in milliseconds. */
export interface EventLoopPauses {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Reads the pauses from the metrics of a node, which start from zero after each scrape. */
export const eventLoopPauses = async ({ port, key }: Pick<ServerProcess, 'port' | 'key'>): Promise<EventLoopPauses> => {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/metrics`, { headers: { Authorization: `Bearer ${key}` } });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`metrics were answered ${reply.status}: ${text}`);
  const read = (name: string): number => {
    const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
    return value === undefined ? Number.NaN : Number(value) * 1000;
  };
  return { p99Ms: read('nodejs_eventloop_lag_p99_seconds'), maxMs: read('nodejs_eventloop_lag_max_seconds') };
};
