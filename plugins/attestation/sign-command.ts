import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { defineCommand } from '../../kernel/command-api.ts';
import {
  createSigner,
  decodeBase64Url,
  encodeBase64Url,
  fileTaken,
  readNamedSecret,
  SEED_BYTES,
  type Signer,
  writeSecretFile,
} from '../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../kernel/plugin-api.ts';
import { signAssertions } from './sign-assertions.ts';

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

export const signCommand = defineCommand({
  name: 'sign',
  topic: 'memory',
  summary: 'sign assertions with a key that stays here',
  description:
    'Reads an assertion as POST /v1/facts takes it, or one on each line, and prints it with the member "attestation". ' +
    'With --new-key it makes a key instead. It needs neither a node nor a network.',
  notes: `The key file holds the seed of an Ed25519 key in base64url, and only you may read
it. The node gets the public key alone, and gives it the id that --key-id names.`,
  examples: [
    'fact-memory-node sign --new-key agent.key',
    'fact-memory-node sign fact.json --key agent.key --key-id 5b0c... > signed.json',
    'fact-memory-node sign - --key agent.key --key-id 5b0c... < facts.jsonl | fact-memory-node import -',
  ],
  needs: 'nothing',
  arguments: {
    file: { summary: 'file with the assertions; - or nothing for standard input', optional: true },
  },
  options: {
    key: { type: 'text', value: 'file', summary: 'file with the key to sign with' },
    keyId: { type: 'text', value: 'id', summary: 'id that the node gave the public key when it was registered' },
    newKey: { type: 'text', value: 'file', summary: 'make a key in this new file, and show how to register it' },
  },
  async run({ arguments: { file }, options: { key, keyId, newKey }, random, stdin, stdout, stderr }) {
    if (newKey !== undefined) {
      if (file !== undefined || key !== undefined || keyId !== undefined) {
        throw new ServiceError('validation', '--new-key makes a key and signs nothing', { hint: 'give it alone' });
      }
      const publicKey = await makeKey(newKey, random);
      // Standard output contains only the public key, so that a script can read it.
      stdout.write(`${publicKey}\n`);
      stderr.write(`The key is in ${newKey}. Register its public half, and keep the id of the reply:\n`);
      stderr.write(`${registration(publicKey)}\n`);
      return;
    }
    if (key === undefined || keyId === undefined) {
      throw new ServiceError('validation', 'signing takes --key and --key-id', {
        hint: 'make a key with --new-key, and register it to get its id',
      });
    }
    const signer = await readSigner(key);
    const text = await readAll(file === undefined || file === '-' ? stdin : createReadStream(file));
    for (const line of signAssertions(text, keyId, signer)) stdout.write(`${line}\n`);
  },
});

const makeKey = async (path: string, random: Random): Promise<string> => {
  const seed = random.bytes(SEED_BYTES);
  if (await writeSecretFile(path, encodeBase64Url(seed), random)) return encodeBase64Url(createSigner(seed).publicKey);
  throw fileTaken(path);
};

const registration = (publicKey: string): string =>
  [
    'curl -X POST "$SVC_URL/v1/auth/agent-keys"',
    '-H "Authorization: Bearer $SVC_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify({ public_key: publicKey })}'`,
  ].join(' ');

const readSigner = async (path: string): Promise<Signer> => {
  const text = await readNamedSecret(path);
  if (text === undefined) {
    throw new ServiceError('lookup', `there is no file ${path}`, { hint: 'make a key with --new-key' });
  }
  const seed = decodeBase64Url(text);
  if (seed?.length === SEED_BYTES) return createSigner(seed);
  throw new ServiceError('validation', `${path} holds no key to sign with`, {
    hint: `the file holds the seed of an Ed25519 key, ${SEED_BYTES} bytes in base64url`,
  });
};

const readAll = async (source: Readable): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_INPUT_BYTES) {
        throw new ServiceError('validation', 'the input is longer than 64 MiB', { hint: 'sign it in parts' });
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ServiceError('lookup', `there is no file ${(error as NodeJS.ErrnoException).path ?? 'to sign'}`);
  }
  return Buffer.concat(chunks).toString('utf8');
};
