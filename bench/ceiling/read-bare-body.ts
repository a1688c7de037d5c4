import type { IncomingMessage } from 'node:http';

/** The largest accepted body, so that the prototype pays for the same check as the node. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The smallest reader that is still correct: one listener set, one decode, one parse. */
export const readJsonBody = (request: IncomingMessage): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) reject(new Error('body too large'));
      else chunks.push(chunk);
    });
    request.on('error', reject);
    request.on('end', () => {
      const [first] = chunks;
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      try {
        resolve(JSON.parse(bytes.toString('utf8')));
      } catch (error) {
        reject(error);
      }
    });
  });
