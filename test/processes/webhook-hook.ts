import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { NodeProcess } from '../kit/node-processes.ts';

/** A request that arrived at a webhook receiver. */
export interface HookRequest {
  readonly id: string;
  readonly factId: string;
  /** Whether the receiver library accepts the signature at the time of arrival. */
  readonly isGenuine: boolean;
  readonly atMs: number;
}

export type HookAnswer = (request: HookRequest, response: ServerResponse) => void;

/** A webhook receiver on this machine. */
export interface Hook {
  readonly url: string;
  readonly requests: readonly HookRequest[];
  /** The signing secret, known only after the subscription is created. */
  secret: string;
  answer: HookAnswer;
  stop(): void;
}

export const startHook = async (): Promise<Hook> => {
  const requests: HookRequest[] = [];
  const server = createServer((message, response) => {
    void readText(message).then((text) => {
      const request = judge(message, text, hook.secret);
      requests.push(request);
      hook.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const hook: Hook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    requests,
    secret: '',
    answer: (_, response) => void response.end(),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return hook;
};

const readText = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const judge = ({ headers }: IncomingMessage, text: string, secret: string): HookRequest => {
  const { fact_id: factId } = JSON.parse(text) as { fact_id: string };
  let isGenuine = true;
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
  } catch {
    isGenuine = false;
  }
  return { id: String(headers['webhook-id']), factId, isGenuine, atMs: performance.now() };
};

/** Subscribes the webhook to a target with a new token, and returns the id. */
export const subscribeHook = async (node: NodeProcess, hook: Hook, target: string): Promise<string> => {
  const token = await node.request('POST', '/v1/federation/capability-tokens', {
    issuer: 'agent:admin',
    subject: 'agent:admin',
    verb: 'subscribe',
    object: target,
  });
  const created = await node.request('POST', '/v1/subscriptions', {
    target,
    on_change: 'webhook',
    webhook_url: hook.url,
    capability_token: token.body.token_json,
  });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  hook.secret = created.body.secret;
  return created.body.id;
};
