import type { ChildProcess } from 'node:child_process';

/** A message of node:cluster: it hands a connection to a worker, or acknowledges that. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface HandedConnection {
  close(): void;
}

/**
 * Closes the connections that were on their way to a worker when it ended, so that their clients see the end. The
 * cluster module keeps such a connection open until the worker acknowledges it, and a killed worker never does.
 */
export const closeUntakenAtEnd = (worker: ChildProcess): void => {
  const untaken = new Map<number, HandedConnection>();
  const send = worker.send.bind(worker) as (...given: unknown[]) => boolean;
  worker.send = (...given: unknown[]): boolean => {
    const [message, handle] = given as [ClusterMessage, HandedConnection | undefined];
    if (message.act === 'newconn' && message.seq !== undefined && handle !== undefined) {
      untaken.set(message.seq, handle);
    }
    return send(...given);
  };
  worker.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  worker.once('exit', () => {
    for (const connection of untaken.values()) connection.close();
  });
};
