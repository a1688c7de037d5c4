import {
  acceptedReply,
  askServer,
  type CommandContext,
  type CommandServer,
  type ServerReply,
  sendPatiently,
  shortText,
} from '../../../kernel/command-api.ts';
import { ServiceError } from '../../../kernel/plugin-api.ts';

/** Returns the entity of the API key in use. A person's facts name it as their source. */
export const ownEntity = async (server: CommandServer): Promise<string> => {
  const { document } = await askServer(server, { method: 'GET', path: '/v1/me' });
  const entity = document['entity_uri'];
  if (typeof entity === 'string') return entity;
  throw new ServiceError('unavailable', 'the node does not say which entity your key has', {
    hint: 'name the source with --source',
  });
};

type None = Record<never, never>;
type Parts = Pick<CommandContext<None, None, 'server', None, undefined>, 'server' | 'clock' | 'random' | 'stderr'>;

/**
 * Sends a fact to the node. All attempts have the same idempotency key, so that a lost reply does not store the fact
 * twice. `answeredBefore` says that the node has answered this command already.
 */
export const sendAssertion = async (
  { server, clock, random, stderr }: Parts,
  body: object,
  answeredBefore: boolean,
): Promise<ServerReply> => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': random.uuid() };
  const request = { method: 'POST', path: '/v1/facts', headers, body: Buffer.from(JSON.stringify(body)) };
  const reply = await sendPatiently({ server, clock }, request, {
    answeredBefore,
    onPause(why, delayMs) {
      const reason = why instanceof ServiceError ? why.message : `the node replied with status ${why.status}`;
      stderr.write(`${shortText(reason)}; trying again in ${delayMs / 1_000} s\n`);
    },
  });
  return acceptedReply(reply);
};
