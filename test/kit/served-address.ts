import type { ChildProcess } from 'node:child_process';

const ADDRESS = /^(?:Address {4}|Serving )(http:\S+?);?(?:\s|$)/m;

/** The address of a running node, and its output up to then. */
export interface ServedAddress {
  readonly url: string;
  readonly greeting: string;
}

/** Resolves when the node prints that it serves. Never resolves when it ends before. */
export const servedAddress = (child: ChildProcess): Promise<ServedAddress> =>
  new Promise((resolve) => {
    let greeting = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      greeting += chunk.toString();
      const url = ADDRESS.exec(greeting)?.[1];
      if (url !== undefined && greeting.endsWith('\n')) resolve({ url, greeting });
    });
  });
