import type { ChildProcess } from 'node:child_process';

const ADDRESS = /^(?:Address {4}|Serving )(http:\S+?);?(?:\s|$)/m;

/** Where a node that `start` runs serves, and what it told its user by then. */
export interface ServedAddress {
  readonly url: string;
  readonly greeting: string;
}

/** Resolves when the node says on its standard output that it serves. Never when it ends before. */
export const servedAddress = (child: ChildProcess): Promise<ServedAddress> =>
  new Promise((resolve) => {
    let greeting = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      greeting += chunk.toString();
      const url = ADDRESS.exec(greeting)?.[1];
      if (url !== undefined && greeting.endsWith('\n')) resolve({ url, greeting });
    });
  });
