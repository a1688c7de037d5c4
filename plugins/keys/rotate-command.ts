import { rm } from 'node:fs/promises';
import { askServer, defineCommand, rotateGroup } from '../../kernel/command-api.ts';
import { fileTaken, mayBeDone, unknownEnd, writeSecretFile } from '../../kernel/internal-api.ts';
import type { ServiceError } from '../../kernel/plugin-api.ts';
import { drawKey } from './first-key.ts';
import { DEFAULT_KEY_OVERLAP_SECONDS, MAX_KEY_OVERLAP_SECONDS } from './rotate-key.ts';

const rotateKeyCommand = defineCommand({
  name: 'key',
  summary: 'replace an API key by a fresh one with the same rights',
  description:
    'Draws a key here and registers it at a running node in the place of the one that the command uses, or of another ' +
    'one. The former key stays good until the overlap is over. The new key is shown once, written to a file, or kept.',
  notes: `A key of an administrator lives as long again as it was made for; any other ends when the
former one would have ended. A key of a login is not rotated: log in again.`,
  examples: [
    'fact-memory-node rotate key --key-file agent.key --out agent-new.key',
    'fact-memory-node rotate key --keep --overlap 3600',
  ],
  needs: 'server',
  arguments: { id: { summary: 'id of the key; without it the key that the command uses', optional: true } },
  options: {
    overlap: {
      type: 'integer',
      value: 'seconds',
      minimum: 0,
      maximum: MAX_KEY_OVERLAP_SECONDS,
      unit: 'seconds',
      default: DEFAULT_KEY_OVERLAP_SECONDS,
      summary: 'how long the former key stays good; 0 revokes it at once',
    },
    out: {
      type: 'text',
      value: 'file',
      summary: 'write the key to this new file, which only you may read, instead of showing it',
    },
    keep: { type: 'flag', summary: 'keep the key for later commands at this address, as a login does' },
  },
  async run({ arguments: { id = 'current' }, options: { overlap, out, keep }, server, random, stdout, stderr }) {
    const rawKey = drawKey(random);
    // The file is written before the request: a registered key that nobody holds would be worse than an unregistered
    // key.
    if (out !== undefined && !(await writeSecretFile(out, rawKey, random))) throw fileTaken(out);
    // Standard output contains only the key, so that a script can read it.
    const show = (): void => {
      if (out === undefined) stdout.write(`${rawKey}\n`);
    };
    const { document } = await askServer(server, {
      method: 'POST',
      path: `/v1/auth/keys/${encodeURIComponent(id)}/rotate`,
      body: { raw_key: rawKey, overlap_s: overlap },
    }).catch(async (error: unknown) => {
      const isKept = mayBeDone(error);
      if (isKept) show();
      else if (out !== undefined) await rm(out, { force: true });
      throw isKept ? unknownRotation(error, out) : error;
    });
    const saved = keep ? await server.saveKey(rawKey).catch(shownFirst(show)) : undefined;
    const places = [...(out === undefined ? [] : [`written to ${out}`]), ...(saved ? [`saved in ${saved.path}`] : [])];
    if (places.length === 0) show();
    const former = document['replaces'] as { readonly id: string; readonly expires_at: string };
    const end = document['expires_at'] === null ? 'never expires' : `expires ${document['expires_at']}`;
    const where = places.length === 0 ? 'it is not shown again' : places.join(', ');
    stderr.write(`Key ${document['id']} for ${document['entity_uri']}: ${where}; ${end}\n`);
    stderr.write(`The former key ${former.id} ends ${former.expires_at}\n`);
    if (saved?.isUsed === false) stderr.write('Commands go on with the key in SVC_API_KEY until you change it.\n');
  },
});

/** Shows the key before a failure to save it, because the former key may have ended already. */
const shownFirst =
  (show: () => void) =>
  (error: unknown): never => {
    show();
    throw error;
  };

/** Without the fresh key nobody would have a valid one, if the node has replaced the former one. */
const unknownRotation = (cause: ServiceError, out: string | undefined): ServiceError =>
  unknownEnd(
    cause,
    'the key may be replaced already',
    `keep the new key, ${out === undefined ? 'which is shown once on standard output' : `written to ${out}`}, ` +
      'and try it: if the node refuses it, nothing was changed',
  );

export const rotateCommands = rotateGroup(rotateKeyCommand);
