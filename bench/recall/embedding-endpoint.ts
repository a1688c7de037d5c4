import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OpenAI-compatible embeddings endpoint in this process. */
export interface EmbeddingEndpoint {
  /** The base URL, up to and including the version. */
  readonly url: string;
  close(): Promise<void>;
}

export const serveEmbeddings = async (
  embed: (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>,
): Promise<EmbeddingEndpoint> => {
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly input: string | string[] };
    const vectors = await embed([input].flat());
    reply.setHeader('Content-Type', 'application/json');
    reply.end(JSON.stringify({ data: vectors.map((vector, index) => ({ index, embedding: Array.from(vector) })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
