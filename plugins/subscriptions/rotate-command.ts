import { existsSync } from 'node:fs';
import { askServer, defineCommand, rotateGroup } from '../../kernel/command-api.ts';
import { fileTaken, mayBeDone, unknownEnd, writeSecretFile } from '../../kernel/internal-api.ts';
import { MAX_OVERLAP_SECONDS } from './rotate-secret.ts';

const rotateWebhook = defineCommand({
  name: 'webhook',
  summary: 'give a subscription of yours another secret',
  description:
    'Asks a running node for another secret. Deliveries are signed by both until the overlap is over, so that the ' +
    'receiver can take the new one up in between. The secret is shown once, or written to a file.',
  examples: ['fact-memory-node rotate webhook 5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11 --out webhook.secret'],
  needs: 'server',
  arguments: { subscription: { summary: 'id of the subscription' } },
  options: {
    overlap: {
      type: 'integer',
      value: 'seconds',
      minimum: 0,
      maximum: MAX_OVERLAP_SECONDS,
      unit: 'seconds',
      summary: 'how long the former secret signs too; 0 ends it at once (default: as the node is set, one day)',
    },
    out: {
      type: 'text',
      value: 'file',
      summary: 'write the secret to this new file, which only you may read, instead of showing it',
    },
  },
  async run({ arguments: { subscription }, options: { overlap, out }, server, random, stdout, stderr }) {
    if (out !== undefined && existsSync(out)) throw fileTaken(out);
    const { document } = await askServer(server, {
      method: 'POST',
      path: `/v1/subscriptions/${encodeURIComponent(subscription)}/rotate-secret`,
      body: overlap === undefined ? {} : { overlap_s: overlap },
    }).catch((error: unknown) => {
      throw mayBeDone(error) ? unknownEnd(error, 'the secret may be replaced already', UNKNOWN_ROTATION) : error;
    });
    const secret = String(document['secret']);
    const isWritten = out !== undefined && (await writeSecretFile(out, secret, random));
    // Standard output contains only the secret, so that a script can read it.
    if (!isWritten) stdout.write(`${secret}\n`);
    const end = document['former_secret_ends_at'];
    const former = end === undefined ? 'the former one signs no more' : `the former one signs too until ${end}`;
    stderr.write(
      `New secret of ${subscription}: ${isWritten ? `written to ${out}` : 'it is not shown again'}; ${former}\n`,
    );
  },
});

const UNKNOWN_ROTATION = 'give the same command again: the secret of that run is the one to use';

export const rotateCommands = rotateGroup(rotateWebhook);
